// Search as one types, keys, parts that are loaded later, and following new builds. Pages work without it.
(() => {
  "use strict";
  const root = document.body.dataset.root || "";
  const part = { headers: { "X-Part": "1" } };
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  document.documentElement.classList.add("js");

  // What the server sends was escaped there, and the policy of the page lets no script of it run.
  const put = (place, html) => {
    place.innerHTML = html;
    attend(place);
  };

  const toast = (text) => {
    const place = one("[data-toast]");
    place.textContent = text;
    place.classList.add("on");
    setTimeout(() => place.classList.remove("on"), 1800);
  };

  // --- search as one types: one request at a time, and then the newest ---
  const form = one("[data-live]");
  const results = one("[data-results]");
  const PAUSE_MS = 1500;
  let busy = false;
  let wanted = false;
  let entering = false;
  let changed = 0;
  let begins = true; // whether the next hits are a new step of the history
  const address = () => {
    const params = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (value !== "" && !(name === "limit" && value === "10")) params.set(name, value);
    }
    if (!params.has("compare")) ["kb2", "mode2", "alpha2", "structure2"].forEach((name) => params.delete(name));
    const text = params.toString();
    return `${root}/${text ? `?${text}` : ""}`;
  };
  // Back goes to the search before: what is typed without a pause is one search.
  const remember = (url) => {
    const place = new URL(url, location.href).href;
    if (place === location.href) return;
    history[begins ? "pushState" : "replaceState"](null, "", url);
    begins = false;
    all(".bases a").forEach((link) => {
      const params = new URLSearchParams(new URL(url, location.href).search);
      params.set("kb", new URL(link.href).searchParams.get("kb") || "1");
      link.href = `${root}/?${params}`;
    });
  };
  const enter = () => {
    entering = false;
    begins = true;
    one("[data-item]", results)?.focus();
  };
  const search = async () => {
    if (busy) {
      wanted = true;
      return;
    }
    busy = true;
    const url = address();
    try {
      const answer = await fetch(url, part);
      const html = await answer.text();
      if (!wanted || !answer.ok) {
        put(results, html);
        remember(url);
        const query = one("[name=q]", form).value.trim();
        one("h1", form).className = query ? "quiet" : "hello";
        document.title = document.title.replace(/^.*?( · [^·]* · kbc explorer)$/, `${query || "Search"}$1`);
        document.dispatchEvent(new CustomEvent("kbc:results", { detail: { query } }));
      }
    } catch {
      toast("The server does not answer");
    }
    busy = false;
    if (wanted) {
      wanted = false;
      search();
    } else if (entering) enter();
  };
  if (form && results) {
    form.addEventListener("input", (event) => {
      if (event.target.name === "compare") {
        const second = one("[data-second]");
        second.hidden = second.disabled = !event.target.checked;
      }
      const now = performance.now();
      begins ||= event.target.name !== "q" || now - changed > PAUSE_MS;
      changed = now;
      search();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (busy) entering = true;
      else enter();
    });
    addEventListener("popstate", () => location.replace(location.href)); // a reload would keep the fields as they are
  }

  // --- parts that are loaded later ---
  const load = async (holder) => {
    const into = one("[data-into]", holder);
    if (!into || holder.dataset.loaded) return;
    holder.dataset.loaded = "1";
    try {
      const answer = await fetch(holder.dataset.load, part);
      if (!answer.ok) throw new Error(String(answer.status));
      put(into, await answer.text());
      holder.dispatchEvent(new CustomEvent("kbc:loaded", { bubbles: true }));
    } catch {
      delete holder.dataset.loaded;
      into.textContent = "This could not be loaded.";
    }
  };
  const attend = (within) => {
    all("[data-load]", within).forEach((holder) => {
      if ("atOnce" in holder.dataset) load(holder);
      else holder.addEventListener("toggle", () => holder.open && load(holder));
    });
  };
  attend(document);

  // --- buttons ---
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if ("copy" in button.dataset) {
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
        toast("Copied");
      } catch {
        toast("The browser does not allow copying here");
      }
    } else if ("themeToggle" in button.dataset) switchTheme();
    else if ("help" in button.dataset) one("[data-help-dialog]").showModal();
  });
  const switchTheme = () => {
    const html = document.documentElement;
    const dark = html.dataset.theme ? html.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    html.dataset.theme = dark ? "light" : "dark";
    document.cookie = `theme=${html.dataset.theme};path=${root || "/"};max-age=31536000;samesite=strict`;
    document.dispatchEvent(new CustomEvent("kbc:theme"));
  };
  document.addEventListener("change", (event) => {
    if (event.target.matches("select") && event.target.form && "submit" in event.target.form.dataset) event.target.form.requestSubmit();
  });

  // --- keys ---
  const move = (step) => {
    const items = all("[data-item]");
    if (!items.length) return;
    const at = items.indexOf(document.activeElement);
    const next = at < 0 ? (step > 0 ? 0 : items.length - 1) : at + step;
    if (next < 0) one("[data-focus]")?.focus();
    else items[Math.min(next, items.length - 1)].focus();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || one("dialog[open]")) return;
    const active = document.activeElement;
    const typing = active && active.matches("input:not([type=radio]):not([type=checkbox]), textarea, select");
    const isSearch = active && active.matches("[data-focus]");
    if (active && active.matches("canvas, select, textarea, input[type=number]") && event.key.startsWith("Arrow")) return;
    if (event.key === "Escape" && typing) active.blur();
    else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && (!typing || isSearch)) {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (typing) return;
    else if (event.key === "/") {
      event.preventDefault();
      const field = one("[data-focus]");
      if (field) {
        field.focus();
        field.select();
      } else location.href = `${root}/`;
    } else if (event.key === "?") one("[data-help-dialog]").showModal();
    else if (event.key === "t") switchTheme();
    else if (event.key === "e") {
      const why = active?.closest("article, section")?.querySelector("details.why");
      if (why) why.open = !why.open;
    } else if (/^[1-6]$/.test(event.key)) all(".views a")[Number(event.key) - 1]?.click();
  });

  // --- new builds: the page is fetched again, where it was ---
  const state = document.body.dataset.state;
  const follow = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(`${root}/state`);
      if (answer.ok && (await answer.text()) !== state) {
        sessionStorage.setItem("kbc-at", `${location.href} ${scrollY}`);
        location.reload();
      }
    } catch {
      // The server has ended, or is starting again.
    }
  };
  if (state) setInterval(follow, 2000);
  const [at, y] = (sessionStorage.getItem("kbc-at") || " ").split(" ");
  if (at === location.href) {
    sessionStorage.removeItem("kbc-at");
    scrollTo(0, Number(y));
    toast("A new build is live");
  }
  one(".views [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  document.getElementById(`chunk-${new URLSearchParams(location.search).get("row")}`)?.scrollIntoView({ block: "start" });
})();
