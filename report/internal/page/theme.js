// The colours: a choice in the report, or on a page of serve, holds for all pages.

const byId = id => document.getElementById(id);
const root = document.documentElement;

function stored(key, value) {
  try {
    if (value !== undefined) localStorage.setItem('sitemend-' + key, value);
    return localStorage.getItem('sitemend-' + key);
  } catch { return null; }
}

function paint(theme) {
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme; else delete root.dataset.theme;
  byId('theme').value = root.dataset.theme || 'auto';
}

byId('theme').addEventListener('change', event => { paint(event.target.value); stored('theme', event.target.value); });
