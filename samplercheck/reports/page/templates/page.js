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
for (const choice of document.querySelectorAll(".choose select")) {
  choice.closest(".choose").hidden = false;
  choice.addEventListener("change", () => {
    for (const map of choice.closest("section").querySelectorAll(".map")) {
      map.hidden = map.dataset.law !== choice.value;
    }
  });
}
