// The only script: it adds requests to a journal as they arrive, and scrolls the menu. All pages are complete without it.
"use strict";

// On a phone the menu is a strip: show the current page in it. (scrollIntoView would also move where Tab begins.)
const current = document.querySelector(".menu a[aria-current]");
if (current) {
  const strip = current.closest(".menu");
  strip.scrollLeft += current.getBoundingClientRect().left - strip.getBoundingClientRect().left - (strip.clientWidth - current.offsetWidth) / 2;
}

for (const body of document.querySelectorAll("tbody[data-events]")) {
  const limit = 200;
  const live = body.closest("section, main").querySelector("[data-live]");
  const source = new EventSource(body.dataset.events);
  let count = 0;
  live.hidden = false;
  live.textContent = "Live: requests appear as they arrive.";
  source.addEventListener("request", (event) => {
    const template = document.createElement("template");
    template.innerHTML = event.data; // rendered and escaped by the server, from the same template as the page
    const row = template.content.querySelector("tr");
    row.classList.add("new");
    body.prepend(row);
    while (body.rows.length > limit) body.lastElementChild.remove();
    for (const empty of document.querySelectorAll("p.empty")) empty.remove();
    count += 1;
    live.textContent = `Live: ${count} new ${count === 1 ? "request" : "requests"}.`;
  });
}
