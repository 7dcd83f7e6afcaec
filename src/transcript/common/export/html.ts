import { escapeHtml } from '../../../base/common/text/escapeHtml';
import type { Entry, EntryOf, Part } from '../entries';
import { buildEntryTree, type EntryNode } from './entryTree';
import type { ExportHeader } from './exportHeader';
import {
  attachmentText,
  durationText,
  turnEndText,
  omittedText,
  promptHeading,
  terminalText,
  toolSummary,
} from './exportTexts';

/** Returns a self-contained HTML page, without scripts. Escapes all text, and shows Markdown as source. */
export function toHtml({ createdAt, title, agentName }: ExportHeader, entries: readonly Entry[]): string {
  const day = createdAt === undefined ? '' : ` · ${new Date(createdAt).toISOString().slice(0, 10)}`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${styleSheet}</style>
</head>
<body>
<main>
<header><h1>${escapeHtml(title)}</h1><p>${escapeHtml(agentName + day)}</p></header>
${buildEntryTree(entries).map(nodeHtml).join('\n')}
</main>
</body>
</html>
`;
}

function nodeHtml({ entry, steps }: EntryNode): string {
  const inner = steps.map(nodeHtml).join('');
  const omitted = omittedHtml(entry.omitted);
  if (entry.kind !== 'tool') return entryHtml(entry) + omitted + inner;
  return detailsHtml(toolSummary(entry), toolHtml(entry) + inner) + omitted;
}

function entryHtml(entry: Exclude<Entry, EntryOf<'tool'>>): string {
  switch (entry.kind) {
    case 'prompt':
      return sectionHtml(
        'prompt',
        `<h2>${promptHeading(entry)}</h2>${proseHtml(entry.text)}${listHtml((entry.attachments ?? []).map(attachmentText))}`,
      );
    case 'answer':
      return sectionHtml('answer', proseHtml(entry.text));
    case 'thinking': {
      const duration = entry.durationMs === undefined ? '' : ` (${durationText(entry.durationMs)})`;
      return detailsHtml(`Thinking${duration}`, proseHtml(entry.text));
    }
    case 'todos':
      return sectionHtml(
        'todos',
        listHtml(entry.items.map(({ status, text }) => `${status === 'completed' ? '☑' : '☐'} ${text}`)),
      );
    case 'notice':
      return sectionHtml(
        `notice ${entry.level}`,
        proseHtml(entry.text) + (entry.details === undefined ? '' : preHtml(entry.details)),
      );
    case 'summary':
      return detailsHtml('Summary of earlier messages', proseHtml(entry.text));
    case 'media':
      return sectionHtml('media', partHtml(entry.part));
    case 'end': {
      const text = turnEndText(entry);
      return text === undefined ? '' : sectionHtml(`end ${entry.outcome}`, proseHtml(text));
    }
    case 'raw':
      return detailsHtml(entry.label, preHtml(entry.json));
  }
}

function toolHtml({ error, input, parts }: EntryOf<'tool'>): string {
  return [
    ...(input === undefined ? [] : [preHtml(input)]),
    ...parts.map(partHtml),
    ...(error === undefined ? [] : [`<pre class="error">${escapeHtml(error)}</pre>`]),
  ].join('');
}

function partHtml(part: Part): string {
  return partBodyHtml(part) + omittedHtml('omitted' in part ? part.omitted : undefined);
}

function omittedHtml(omitted: number | undefined): string {
  const words = omittedText(omitted);
  return words === undefined ? '' : `<p class="omitted">${escapeHtml(words)}</p>`;
}

function partBodyHtml(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.plain ? preHtml(part.text) : proseHtml(part.text);
    case 'diff':
      return `<figure><figcaption>${escapeHtml(part.path)} (+${part.added} −${part.removed})</figcaption>${diffHtml(part)}</figure>`;
    case 'terminal':
      return preHtml(terminalText(part));
    case 'file':
      return `<figure><figcaption>${escapeHtml(part.path)}</figcaption>${preHtml(part.text)}</figure>`;
    case 'image':
      return /^image\/(?:png|jpeg|gif|webp)$/.test(part.mimeType) && /^[A-Za-z0-9+/=\s]*$/.test(part.data)
        ? `<img alt="${escapeHtml(part.title ?? 'Image')}" src="data:${part.mimeType};base64,${part.data}">`
        : `<p>[${escapeHtml(part.title ?? part.mimeType)}]</p>`;
    case 'link':
      return /^https?:/i.test(part.uri)
        ? `<p><a rel="noreferrer" href="${escapeHtml(part.uri)}">${escapeHtml(part.title ?? part.uri)}</a>${linkAddressHtml(part)}</p>`
        : `<p>${escapeHtml(part.title ?? part.uri)} (${escapeHtml(part.uri)})</p>`;
    case 'list':
      return listHtml(part.items);
    case 'json':
      return preHtml(part.json);
  }
}

function linkAddressHtml({ title, uri }: Extract<Part, { type: 'link' }>): string {
  return title === undefined || title === uri ? '' : ` <small>${escapeHtml(uri)}</small>`;
}

function diffHtml({ hunks }: Extract<Part, { type: 'diff' }>): string {
  const tags = { add: 'ins', remove: 'del', context: 'span' } as const;
  const lines = hunks.flatMap(({ lines: all, newStart, oldStart }) => [
    `<b>@@ -${oldStart} +${newStart} @@</b>`,
    ...all.map(({ kind, text }) => `<${tags[kind]}>${escapeHtml(text)}</${tags[kind]}>`),
  ]);
  return `<pre class="diff">${lines.join('\n')}</pre>`;
}

function sectionHtml(name: string, html: string): string {
  return `<section class="${name}">${html}</section>`;
}

function detailsHtml(summary: string, html: string): string {
  return `<details><summary>${escapeHtml(summary)}</summary>${html}</details>`;
}

function proseHtml(text: string): string {
  return text === '' ? '' : `<div class="text">${escapeHtml(text)}</div>`;
}

function preHtml(text: string): string {
  return `<pre>${escapeHtml(text)}</pre>`;
}

function listHtml(items: readonly string[]): string {
  return items.length === 0 ? '' : `<ul>${items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`;
}

const styleSheet = `
:root { color-scheme: light dark; --text: #1f2328; --quiet: #59636e; --page: #fff; --box: #f6f8fa; --line: #d1d9e0; --add: #dafbe1; --remove: #ffebe9; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --quiet: #9198a1; --page: #0d1117; --box: #161b22; --line: #30363d; --add: #12361e; --remove: #4a1619; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.55 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: .8rem; margin: 0 0 .25rem; color: var(--quiet); }
header p, .omitted, figcaption, summary, small { color: var(--quiet); }
section, details { margin: .75rem 0; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.prompt { background: var(--box); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem; margin-top: 2rem; }
.notice, .end { border-left: 3px solid var(--line); padding-left: .75rem; color: var(--quiet); }
.notice.error, .end.failed, pre.error { border-left: 3px solid #cf222e; padding-left: .75rem; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow: auto; font: 13px/1.45 ui-monospace, monospace; max-height: 30rem; }
.diff ins { background: var(--add); text-decoration: none; }
.diff del { background: var(--remove); text-decoration: none; }
figure { margin: .5rem 0; }
img { max-width: 100%; }
`;
