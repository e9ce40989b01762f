// What a page is like for people who see little: texts too pale, pictures without words, headings that
// skip a level, places of the keyboard without a name. Evaluated in a page by the tests; returns complaints.
(() => {
  const complaints = [];
  const parsed = (colour) => {
    const numbers = colour.match(/[\d.]+/g).map(Number);
    return { light: numbers.slice(0, 3), alpha: numbers.length > 3 ? numbers[3] : 1 };
  };
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = parsed(getComputedStyle(one).backgroundColor);
      if (colour.alpha === 1) return colour.light;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("svg, script")) continue;
    seen += 1;
    const [one, other] = [parsed(getComputedStyle(element).color).light, behind(element)].map(luminance);
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) complaints.push(`contrast ${contrast.toFixed(2)}: ${walker.currentNode.data.trim()}`);
  }
  if (seen < 10) complaints.push("there is hardly any text");
  for (const picture of document.querySelectorAll("svg:not([aria-hidden])")) {
    if (picture.getAttribute("role") !== "img" || !picture.getAttribute("aria-label")) complaints.push("a picture without words");
  }
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const mine = Number(heading.tagName[1]);
    if (mine > level + 1) complaints.push(`h${mine} after h${level}`);
    level = mine;
  }
  for (const place of document.querySelectorAll("a, button, summary, [tabindex]")) {
    if (!place.checkVisibility()) continue;
    if (!(place.getAttribute("aria-label") || place.textContent.trim())) complaints.push("a place without a name");
    place.focus({ focusVisible: true });
    if (document.activeElement === place && getComputedStyle(place).outlineStyle === "none") {
      complaints.push(`focus is not seen: ${place.textContent}`);
    }
  }
  for (const heading of document.querySelectorAll("thead th")) {
    const words = document.createRange();
    words.selectNodeContents(heading);
    const lines = new Set([...words.getClientRects()].map((line) => line.top)).size;
    const text = heading.textContent.trim();
    if (lines > text.split(/\s+/).length) complaints.push(`broken inside a word: ${text}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) {
    complaints.push(`wider than the window: ${document.documentElement.scrollWidth} of ${innerWidth}`);
  }
  return complaints;
})();
