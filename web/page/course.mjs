// Converts the chapters of docs/learn/ to web pages, and for the tab Learn to templates with places for live pictures. They
// use only a part of Markdown: headings, paragraphs, lists, tables, code, pictures, links, bold text and details.

import { createHash } from 'node:crypto';

/** Applies the theme that the user has chosen on the page. */
const THEME = "try { document.documentElement.dataset.theme = localStorage.getItem('carrybit.theme') ?? 'auto'; } catch { /* No storage. */ }";

/** Permits an inline script or style in a Content-Security-Policy. */
export const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Some browsers do not count files on a disk as 'self'. */
const POLICY = `default-src 'none'; script-src ${hashOf(THEME)}; style-src 'self' file:; img-src 'self' file:; ` +
  "base-uri 'none'; form-action 'none'";

const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

/** The live pictures, by the names of the still ones: `images/03-differences.svg` is `differences`. */
const LIVE = ['board', 'steps', 'differences', 'check', 'exchange', 'lanes', 'tree', 'table'];

/** Links and pictures of the static pages. */
const STATIC = {
  level: 0,
  link: (name, anchor = '') => `${name}.html${anchor}`,
  image: (target, words) => `<img src="${target}" alt="${words}">`,
};

/** Links and pictures of the tab. */
const TAB = {
  level: 1,
  link: (name) => (name === 'README' ? '#learn' : `#learn/${name}`),
  image(target, words) {
    const [, live] = /\d\d-(\w+)\.svg$/.exec(target) ?? [];
    return LIVE.includes(live)
      ? `<figure class="live" data-live="${live}" role="group" aria-label="Live picture. ${words}"></figure>`
      : `<img src="learn/${target}" alt="${words}" loading="lazy">`;
  },
};

const titleOf = (markdown) => /^# (.*)/.exec(markdown)[1];

/** The names of the numbered chapters in `files`, an object of Markdown by name. */
const chaptersOf = (files) => Object.keys(files).filter((name) => /^\d\d-/.test(name)).sort();

/** The templates of all files for the tab. */
export const templates = (files) =>
  Object.keys(files).map((name) => `<template id="chapter-${name}">${convert(files, name, TAB)}</template>`).join('\n');

/** The list of chapters for the tab. */
export function contents(files) {
  const item = (name) => `<li><a href="${TAB.link(name)}">${escape(titleOf(files[name]).replace(/^\d+\. /, ''))}</a></li>`;
  return `<p><a href="#learn">Contents</a> · <a href="${TAB.link('glossary')}">Glossary</a></p><ol>${chaptersOf(files).map(item).join('')}</ol>`;
}

/** The links to the chapters before and after. */
function turn(files, name, { link }) {
  const names = chaptersOf(files);
  const at = names.indexOf(name);
  const to = (words, next) => (next ? `<a href="${link(next)}">${words}${escape(titleOf(files[next]))}</a>` : '<span></span>');
  return at < 0 ? '' : `<p class="turn">${to('← ', names[at - 1])}${to('→ ', names[at + 1])}</p>`;
}

/** Converts a file to HTML. */
function convert(files, name, { level, link, image }) {
  const inline = (text) =>
    text.replace(
      /`([^`]+)`|(!?)\[([^\]]*)\]\(([^)]+)\)|\*\*([^*]+)\*\*|[&<"]/g,
      (whole, code, isImage, words, target, bold) => {
        if (code) {
          return `<code>${escape(code)}</code>`;
        }
        if (target && isImage) {
          return image(target, escape(words));
        }
        if (target) {
          // The source and other documents are not on this host: links to them become text.
          const [, chapter, anchor] = /^([\w-]+)\.md(#[\w-]+)?$/.exec(target) ?? [];
          const address = chapter in files ? link(chapter, anchor) : /^https:/.test(target) ? target : undefined;
          return address ? `<a href="${address}">${inline(words)}</a>` : inline(words);
        }
        return bold ? `<b>${inline(bold)}</b>` : escape(whole);
      },
    );

  const row = (line, cell) => {
    const cells = line.replace(/^\||\|$/g, '').split('|');
    return `<tr>${cells.map((text) => `<${cell}>${inline(text.trim())}</${cell}>`).join('')}</tr>`;
  };

  /** Converts lines of the same indentation. */
  const blocks = (lines) => {
    const html = [];
    const takeWhile = (isPart) => {
      const end = lines.findIndex((line, at) => at > 0 && !isPart(line));
      return lines.splice(0, end < 0 ? lines.length : end);
    };
    while (lines.length > 0) {
      const [line] = lines;
      const item = /^(\*|\d+\.) +/.exec(line);
      const heading = /^(#+) (.*)/.exec(line);
      // The build makes the links between chapters itself.
      if (line.trim() === '' || /^\[(Previous|Next|Chapters)\b/.test(line)) {
        lines.shift();
      } else if (/^<\/?(details|summary)>/.test(line)) {
        html.push(lines.shift());
      } else if (line.startsWith('```')) {
        const code = takeWhile((next) => !next.startsWith('```')).slice(1);
        lines.shift();
        html.push(`<pre tabindex="0"><code>${code.map((text) => `<span class="line">${escape(text)}</span>`).join('\n')}</code></pre>`);
      } else if (heading) {
        lines.shift();
        const tag = `h${heading[1].length + level}`;
        html.push(`<${tag}>${inline(heading[2])}</${tag}>`);
      } else if (line.startsWith('|')) {
        const [head, , ...rows] = takeWhile((next) => next.startsWith('|'));
        const body = rows.map((each) => row(each, 'td')).join('');
        html.push(`<div class="scroll" tabindex="0"><table><thead>${row(head, 'th')}</thead><tbody>${body}</tbody></table></div>`);
      } else if (item) {
        const parts = takeWhile((next) => next === '' || /^ {2}/.test(next));
        const inner = [line.slice(item[0].length), ...parts.slice(1).map((part) => part.replace(/^ {2,3}/, ''))];
        const content = blocks(inner).replace(/^<p>(.*?)<\/p>/, '$1');
        const list = item[1] === '*' ? 'ul' : 'ol';
        const last = html.at(-1);
        const isNext = last?.endsWith(`</${list}>`);
        html.splice(isNext ? -1 : html.length, 1, `${isNext ? last.slice(0, -5) : `<${list}>`}<li>${content}</li></${list}>`);
      } else {
        const text = takeWhile((next) => next.trim() !== '' && !/^(\* |\||#+ |```|1\. |<\/?(details|summary)>)/.test(next)).join(' ');
        const content = inline(text);
        html.push(content.startsWith('<figure') ? content : `<p>${content}</p>`);
      }
    }
    return html.join('\n');
  };

  return `${blocks(files[name].split('\n'))}\n${turn(files, name, { link })}`;
}

/** The web page of a file, with still pictures: it needs no JavaScript. */
export function chapterPage(files, name) {
  return `<!DOCTYPE html>
<html lang="en" data-theme="auto">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escape(titleOf(files[name]))} - Carrybit</title>
<link rel="icon" href="../icon.svg" type="image/svg+xml">
<script>${THEME}</script>
<link rel="stylesheet" href="../page.css">
</head>
<body>
<main class="course">
<p><a href="../${TAB.link(name)}">With live pictures</a> · <a href="README.html">Chapters</a></p>
${convert(files, name, STATIC)}
</main>
</body>
</html>
`;
}
