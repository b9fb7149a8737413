// What a row shows when it is opened.

const marks = { '~': 'mark', '+': 'ins', '-': 'del' };

// pieces is an address with its differences marked; each comes as one string,
// mark first.
function pieces(list) {
  return el('bdi', { class: 'u', dir: 'ltr' }, ...list.map(piece => {
    const tag = marks[piece[0]], part = piece.slice(1);
    return tag ? el(tag, {}, part) : part;
  }));
}

const plainOf = list => list.filter(piece => piece[0] !== '-').map(piece => piece.slice(1)).join('');

function remarks(step) {
  return [
    step.f && faultWord(step.f), step.d, step.c && say('challenge', { name: step.c }),
    step.b && 'robots.txt:' + step.n + ' ' + step.b, step.k, step.t && say('is-temporary'),
    step.l && 'Location: ' + step.l,
  ].filter(Boolean).join(' · ');
}

// took is the time of an answer; without one there is none.
const took = (ms, status) => ms ? number(ms) + ' ms' : status ? '<1 ms' : '';

function stepItem(step, i) {
  const small = remarks(step);
  return el('li', {},
    el('span', { class: 'h' }, i ? say('hop', { n: i }) : say('start')),
    el('span', { class: 'st s' + Math.floor((step.s || 0) / 100) }, step.s ? String(step.s) : '–'),
    el('span', { class: 'ms' }, took(step.m, step.s)),
    el('span', { class: 'where' }, pieces(step.u),
      step.r ? el('span', { class: 'sm' }, say('reads-as') + ' ', address(step.r)) : '',
      small ? el('span', { class: 'sm' }, small) : ''));
}

const trailList = steps => el('ol', { class: 'trail' }, ...steps.map(stepItem));

function legend(detail) {
  const used = JSON.stringify([detail.t, detail.o, detail.f, detail.c]);
  const keys = [['"~', 'mark', 'legend-same', '%E3'], ['"+', 'ins', 'legend-diff', 'abc'], ['"-', 'del', 'legend-gone', 'abc']]
    .filter(key => used.includes(key[0]))
    .map(([, tag, key, sample]) => el('span', {}, el(tag, {}, sample), ' ' + say(key)));
  return keys.length ? el('p', { class: 'key' }, ...keys) : '';
}

// shellQuoted is s as it stands inside single quotes of a shell.
const shellQuoted = s => s.replaceAll("'", "'\\''");

function checkLine(verdict, detail) {
  const template = verdictWords(verdict).check;
  if (!template || !detail.o) return '';
  const path = plainOf(detail.o[0].u).replace(/^https?:\/\/[^/?]*/, '');
  const line = template.replace('{path}', () => shellQuoted(path));
  return el('pre', {}, line);
}

// facts is the list under a trail: pairs of a term and what is said of it.
function facts(row, detail) {
  const verdict = verdictOf(row), words = verdictWords(verdict), label = labelOf(row), notes = notesOf(row);
  const check = checkLine(verdict, detail), action = actionOf(row), decided = config.decided[rows.num.decided[row]];
  const edited = action === 'replace' || action === 'merge';
  return [
    [say('what'), rich(words.what)],
    [say('matter'), verdict === 'ok' ? [] : rich(words.why)],
    [say('do'), verdict === 'ok' ? [] : rich(doWord(decided))],
    [say('check'), check ? [check] : []],
    [say('fix'), fixFacts(row, detail)],
    [say('difference'), reasonsOf(row).map(reasonWords).map(words => said(words.name, words.what, words.why, edited && words.do))],
    [say('by-note'), notes.map(note => [note, noteWords(note)]).map(([note, words]) => said(words.what, words.why, note !== decided.stop && words.do))],
    [say('label'), label ? [labelWord(label)] : []],
    ['canonical', detail.c ? [pieces(detail.c)] : []],
    ['robots', detail.r ? [detail.r] : []],
    ['title', detail.h ? [el('bdi', {}, middle(detail.h, 300))] : []],
  ].filter(([, said]) => said.length && said.some(Boolean));
}

// joined is sentences one after the other.
const joined = sentences => sentences.filter(Boolean).reduce((one, two) => one ? fill(wordsNow().texts['two-sentences'], { one, two }) : two, '');

// said is a name or sentence with what more there is to say of it.
const said = (first, ...more) => el('div', {}, ...rich(first), el('span', { class: 'sm' }, ...rich(joined(more))));

function fixFacts(row, detail) {
  const action = actionOf(row), deed = wordsNow().actions[action] || { name: action };
  // A reason that says itself that the entry is kept needs no second "kept" before it.
  const name = /\bkept\b/.test(whyWord(detail, config.words.en)) ? '' : deed.name, why = whyWord(detail, wordsNow());
  const out = [el('div', {}, el('strong', {}, name), name && why ? ' · ' : '', why, detail.p ? ' · ' : '', ...(detail.p ? rich(say('policy', { p: detail.p })) : []))];
  if (detail.f) out.push(el('div', {}, pieces(detail.f)));
  if (action !== 'keep') out.push(el('span', { class: 'sm' }, ...rich(joined([deed.what, deed.why, deed.do]))));
  return out;
}

// detailNode is the opened row.
function detailNode(row, detail) {
  const loc = locOf(row), wire = wireOf(row), box = el('div', { class: 'detail' });
  if (loc !== wire) box.append(el('p', {}, el('span', { class: 'k' }, say('as-written')), address(loc)));
  if (detail.x) box.append(el('p', {}, el('span', { class: 'k' }, say('syntax')), detail.x));
  if (detail.t) box.append(trailList(detail.t));
  if (detail.e) box.append(el('p', { class: 'end' }, say('end-' + detail.e)));
  if (detail.o) {
    box.append(el('h3', { class: 'minor' }, say('other-spelling')), trailList(detail.o));
    if (detail.oe) box.append(el('p', { class: 'end' }, say('end-' + detail.oe)));
  }
  const said = facts(row, detail).flatMap(([term, parts]) => [el('dt', {}, term), el('dd', {}, ...parts)]);
  box.append(legend(detail), el('dl', {}, ...said));
  const foot = el('p', { class: 'nav' }, copyButton('copy-listed', wire || loc));
  if (writtenOf(row)) foot.append(copyButton('copy-written', writtenOf(row)));
  if (detail.a) foot.append(el('span', {}, say('checked-at', { at: detail.a })));
  box.append(foot);
  return box;
}
