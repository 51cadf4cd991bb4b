// Converts the chapters of docs/learn/ to web pages. They use only a part of Markdown: headings,
// paragraphs, lists, tables, code, pictures, links and bold text.

import { createHash } from 'node:crypto';

/** Applies the theme that the user has chosen on the page. */
const THEME = "try { document.documentElement.dataset.theme = localStorage.getItem('carrybit.theme') ?? 'auto'; } catch { /* No storage. */ }";

/** Permits an inline script or style in a Content-Security-Policy. */
export const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Some browsers do not count files on a disk as 'self'. */
const POLICY = `default-src 'none'; script-src ${hashOf(THEME)}; style-src 'self' file:; img-src 'self' file:; ` +
  "base-uri 'none'; form-action 'none'";

const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

/** The web page of a chapter. */
export function chapterPage(markdown) {
  const inline = (text) =>
    text.replace(
      /`([^`]+)`|(!?)\[([^\]]*)\]\(([^)]+)\)|\*\*([^*]+)\*\*|[&<"]/g,
      (whole, code, isImage, words, target, bold) => {
        if (code) {
          return `<code>${escape(code)}</code>`;
        }
        if (target && isImage) {
          return `<img src="${target}" alt="${escape(words)}">`;
        }
        if (target) {
          // The source is not on this host: links into it become text.
          const isChapter = /^[\w-]+\.md$/.test(target);
          const address = isChapter ? target.replace(/md$/, 'html') : /^https:/.test(target) ? target : undefined;
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
      if (line.trim() === '') {
        lines.shift();
      } else if (line.startsWith('```')) {
        const code = takeWhile((next) => !next.startsWith('```')).slice(1);
        lines.shift();
        html.push(`<pre tabindex="0"><code>${escape(code.join('\n'))}</code></pre>`);
      } else if (heading) {
        lines.shift();
        html.push(`<h${heading[1].length}>${inline(heading[2])}</h${heading[1].length}>`);
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
        const text = takeWhile((next) => next.trim() !== '' && !/^(\* |\||#|```|1\. )/.test(next)).join(' ');
        html.push(`<p>${inline(text)}</p>`);
      }
    }
    return html.join('\n');
  };

  const [, title] = /^# (.*)/.exec(markdown);
  return `<!DOCTYPE html>
<html lang="en" data-theme="auto">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escape(title)} - Carrybit</title>
<link rel="icon" href="../icon.svg" type="image/svg+xml">
<script>${THEME}</script>
<link rel="stylesheet" href="../page.css">
</head>
<body>
<main class="course">
<p><a href="../#learn">Try the ideas</a> · <a href="README.html">Chapters</a></p>
${blocks(markdown.split('\n'))}
</main>
</body>
</html>
`;
}
