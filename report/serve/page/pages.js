(() => {
'use strict';
// The colours that were chosen in a report, and here, hold for all pages.
const root = document.documentElement, select = document.getElementById('theme');
const stored = value => {
  try {
    if (value !== undefined) localStorage.setItem('sitemend-theme', value);
    return localStorage.getItem('sitemend-theme');
  } catch { return null; }
};
const paint = theme => {
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme; else delete root.dataset.theme;
  select.value = root.dataset.theme || 'auto';
};
paint(stored());
select.addEventListener('change', () => { paint(select.value); stored(select.value); });
for (const node of document.querySelectorAll('.js')) node.hidden = false;
root.dataset.ready = 'true';
})();
