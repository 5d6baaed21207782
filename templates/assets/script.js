// What pages can do beyond links and forms, where scripts run. Every page is whole without it.
"use strict";

const BETWEEN_PLIES = 1100; // milliseconds, while a game plays
const MOST_WAITING = 3; // steps, when keys are pressed faster than pages come
const AGAIN_AFTER = 30000; // milliseconds until a page asks by itself, when nothing tells it of changes
const BUSY_FOR = 5000; // milliseconds, while somebody fills in a field

const byId = id => document.getElementById(id);

// What has changed is told to screen readers here: such a place must be there before it is written to.
const teller = document.createElement("p");
teller.className = "unseen";
teller.setAttribute("role", "status");
document.body.append(teller);

const replay = { timer: 0, waiting: 0, last: Promise.resolve() };

// The page at an address, or null where it cannot be had.
async function fetched(address) {
  try {
    const response = await fetch(address, { headers: { Accept: "text/html" } });
    return response.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : null;
  } catch {
    return null;
  }
}

// Goes to another face of this page without leaving it: the page is fetched, and its content takes the place of this.
async function show(address) {
  const next = await fetched(address);
  if (next) put(next, address, "led");
  else location.assign(address);
}

// Puts the content of another page in the place of this one; what its element `told` says is told to screen readers.
function put(next, address, told) {
  const main = byId("main");
  const kept = { focus: whereFocusIs(main), x: scrollX, y: scrollY, closed: closedParts(main) };
  main.replaceChildren(...next.getElementById("main").childNodes);
  for (const part of kept.closed) main.querySelectorAll("details")[part]?.removeAttribute("open");
  dress();
  if (kept.focus) (main.querySelector(kept.focus) ?? byId("position"))?.focus({ preventScroll: true });
  scrollTo(kept.x, kept.y);
  document.title = next.title;
  history.replaceState(null, "", address.split("#")[0]);
  teller.textContent = byId(told)?.textContent.trim().replace(/\s+/g, " ") ?? "";
}

// Pages that show a game as it stands say where they learn of changes; while one is seen, it listens there.
const listening = { source: null, timer: 0 };

function stopListening() {
  listening.source?.close();
  listening.source = null;
  clearTimeout(listening.timer);
}

function listen() {
  stopListening();
  const place = document.querySelector("[data-changes]");
  if (!place || document.hidden) return;
  const source = new EventSource(place.dataset.changes);
  listening.source = source;
  source.addEventListener("message", () => { stopListening(); refresh(); });
  source.addEventListener("error", () => { stopListening(); listening.timer = setTimeout(refresh, AGAIN_AFTER); });
}

async function refresh() {
  stopListening();
  const place = document.querySelector("[data-changes]");
  if (!place || document.hidden) return;
  if (document.activeElement?.matches("#main input, #main textarea, #main select")) {
    listening.timer = setTimeout(refresh, BUSY_FOR);
    return;
  }
  const next = await fetched(place.dataset.here);
  if (!place.isConnected) return; // somebody has gone on meanwhile
  const now = next?.querySelector("[data-changes]");
  if (!next) listening.timer = setTimeout(refresh, AGAIN_AFTER);
  else if (now?.dataset.changes === place.dataset.changes) listen();
  else put(next, place.dataset.here, "news");
}

document.addEventListener("visibilitychange", refresh);
addEventListener("pagehide", stopListening);
addEventListener("pageshow", event => { if (event.persisted) refresh(); });

// A selector of the element with the focus that finds its like in the next page; empty when it is not in `main`.
function whereFocusIs(main) {
  const element = document.activeElement;
  if (!element || !main.contains(element) || element === main) return "";
  if (element.id) return `#${CSS.escape(element.id)}`;
  const href = element.getAttribute("href");
  return href ? `a[href="${CSS.escape(href)}"]` : "#position";
}

function closedParts(main) {
  return [...main.querySelectorAll("details")].flatMap((part, place) => part.open ? [] : [place]);
}

// One step at a time, by the link of that id as it is when its turn comes; whether there was one.
function step(id) {
  if (replay.waiting >= MOST_WAITING) return replay.last;
  replay.waiting += 1;
  replay.last = replay.last.then(async () => {
    const link = byId(id);
    if (link) await show(link.href);
    replay.waiting -= 1;
    return Boolean(link);
  });
  return replay.last;
}

function stop() {
  clearTimeout(replay.timer);
  replay.timer = 0;
  dressPlay();
}

function play() {
  replay.timer = setTimeout(async () => {
    const went = await step("forward");
    if (!replay.timer) return;
    if (went && byId("forward")) play();
    else stop();
  }, BETWEEN_PLIES);
  dressPlay();
}

async function toggle() {
  if (replay.timer) return stop();
  play();
  // Whoever is at the end wants to see it all.
  if (!byId("forward")) await step("first");
}

function dressPlay() {
  const button = byId("run");
  if (!button) return;
  button.dataset.own ??= button.textContent;
  button.textContent = replay.timer ? button.dataset.other : button.dataset.own;
}

// What a page's content needs each time that it is put in place.
function dress() {
  listen();
  const button = byId("run");
  if (button) {
    button.hidden = false;
    button.addEventListener("click", toggle);
    dressPlay();
  }
  for (const each of document.querySelectorAll("[data-copies]")) {
    each.hidden = !navigator.clipboard;
    each.addEventListener("click", () => copy(each));
  }
  const list = document.querySelector(".story .scroll");
  const shown = list?.querySelector("[aria-current]");
  if (shown) {
    const [outside, inside] = [list, shown].map(each => each.getBoundingClientRect());
    list.scrollTop += inside.top - outside.top - (list.clientHeight - inside.height) / 2;
    list.scrollLeft += inside.left - outside.left - (list.clientWidth - inside.width) / 2;
  }
}

async function copy(button) {
  await navigator.clipboard.writeText(byId(button.dataset.copies).textContent);
  teller.textContent = button.dataset.done;
  button.textContent = button.dataset.done;
}

document.addEventListener("click", event => {
  const link = event.target.closest?.("#main .replay a, #main .moves a, #main .course a");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  stop();
  show(link.getAttribute("href"));
});

document.addEventListener("keydown", event => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const id = { ArrowLeft: "back", ArrowRight: "forward" }[event.key];
  if (!id || event.target.closest?.("input, textarea, select, [contenteditable], .scroll[tabindex]")) return;
  if (!byId(id)) return;
  event.preventDefault();
  stop();
  step(id);
});

dress();
