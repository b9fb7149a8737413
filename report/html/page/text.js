// Words and elements. Text reaches the page as text nodes only.

const wordsNow = () => config.words[root.lang] || config.words.en;
const number = n => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const placeholder = /\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g;

// say is the page's own text of key, filled as messages.Say does.
function say(key, values = {}) {
  return fill(wordsNow().texts[key] || key, values);
}

function fill(template, values) {
  return template.replace(placeholder, (all, name, one, many) => {
    if (!(name in values)) return all;
    if (many !== undefined) return values[name] === 1 ? one : many;
    return typeof values[name] === 'number' ? number(values[name]) : values[name];
  });
}

const verdictWords = v => wordsNow().verdicts[v] || { name: v, what: '' };
const reasonWords = r => wordsNow().reasons[r] || r;
const labelWord = l => wordsNow().labels?.[l] || l;
const faultWord = f => wordsNow().faults[f] || f;

function noteWords(note) {
  const hops = /^hops-(\d+)$/.exec(note);
  const words = wordsNow().notes[hops ? 'hops' : note] || { what: note };
  return { ...words, what: words.what.replace('{n}', hops ? hops[1] : '') };
}

// inLang is the text of a list that has one for each language.
const inLang = texts => texts[Math.max(config.langs.indexOf(root.lang), 0)];

// whyWord is why the fix of an entry was decided, as a sentence of words.
const whyWord = (detail, words) => ((words.whys[detail.w] || words.notes[detail.w]?.what || words.verdicts[detail.w]?.what || detail.w) ?? '').replace(/\{([12])\}/g, (all, n) => faultWord(detail['w' + n]));

// el makes an element with attributes and children; strings become text.
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter(child => child !== '' && child !== null && child !== undefined));
  return node;
}

function button(label, act, attributes = {}) {
  const node = el('button', { type: 'button', ...attributes }, ...[label].flat());
  node.addEventListener('click', act);
  return node;
}

// rich is a text whose `code` stands between backticks; the command that writes the
// outputs again is that of this audit.
const rich = line => line.split('`').map((part, i) => i % 2 ? el('code', {}, part.replace('sitemend report', () => config.again)) : part);

// advised is rich, with the sentences that name a command for experts.
const advised = text => text.split(/(?<=[.] |。)/).flatMap(line => line.includes('`sitemend ') ? el('span', { class: 'x' }, ...rich(line)) : rich(line));

// svg is the namespace of drawings.
const svg = 'http://www.w3.org/2000/svg';

// middle leaves out the middle of a long address, so that its host and its last
// segment stay readable.
function middle(s, max) {
  const chars = s.length <= max ? null : [...s];
  if (!chars || chars.length <= max) return s;
  const tail = Math.floor(max * 2 / 5);
  return chars.slice(0, max - tail - 1).join('') + '…' + chars.slice(-tail).join('');
}

// broken is the nodes of an address, whose lines may end where page.breaks lets them.
const broken = text => text.split(/(?<=[^/?&=:][/?&=]+|^[?&=]+)(?![/?&=])/).flatMap((part, i) => i ? [el('wbr'), part] : [part]);

const address = (s, max = Infinity) => el('bdi', { class: 'u', dir: 'ltr', title: s.length > max ? middle(s, 600) : false }, ...broken(middle(s, max)));

async function copyText(value, asked) {
  try {
    await navigator.clipboard.writeText(value);
  } catch {
    const area = el('textarea', { class: 'vh', 'aria-hidden': 'true' });
    area.value = value;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  if (asked.dataset.copied) return;
  const label = [...asked.childNodes]; // in each language
  asked.dataset.copied = 'true';
  asked.replaceChildren(say('copied'));
  setTimeout(() => { asked.replaceChildren(...label); delete asked.dataset.copied; }, 1500);
}

function copyButton(key, value) {
  const node = button(say(key), () => copyText(value, node), { class: 'btn s copy' });
  return node;
}
