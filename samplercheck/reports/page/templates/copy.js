"use strict";
for (const button of document.querySelectorAll("button.copy")) {
  const code = button.parentElement.querySelector("code");
  const say = (words) => {
    button.textContent = words;
    document.querySelector("[role=status]").textContent = words;
    setTimeout(() => { button.textContent = "Copy"; }, 2500);
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    const selected = () => {
      getSelection().selectAllChildren(code);
      say("Selected");
    };
    if (navigator.clipboard) {
      navigator.clipboard.writeText(code.textContent).then(() => say("Copied"), selected);
    } else {
      selected();
    }
  });
}
