import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import createMarkdown from 'markdown-it';
import type { Entry, Part } from '../../../../src/transcript/common/entries';
import { toMarkdown } from '../../../../src/transcript/common/export/markdown';
import { headingsIn, htmlIn, linksIn, shapeOf, wordsIn } from './markdownParts';

/** What other readers of Markdown do: HTML is HTML. */
const reader = new createMarkdown({ html: true });
/** What the page does with what an agent wrote. */
const pageReader = new createMarkdown({ html: false });

const hostilePieces = [
  '<iframe src="https://evil.example"></iframe>',
  '</details>',
  '</summary>',
  '<!--',
  '<script>',
  '<pre>',
  '<b>',
  '```',
  '````',
  '~~~',
  '`',
  '**',
  '*',
  '_',
  '~~',
  '[x](javascript:alert(1))',
  '[link](https://evil.example)',
  '![image](https://evil.example/pixel.png)',
  '[ref]',
  '[ref]: https://evil.example',
  '<https://evil.example>',
  '&lt;b&gt;',
  '&#60;b>',
  '\\',
  '\\<b>',
  '# ',
  '===',
  '---',
  '- ',
  '1. ',
  '> ',
  '| a | b |',
  '|---|---|',
  '    ',
  '\t',
  '\n',
  '\n\n',
  '\r',
  ' ',
  '!',
  'word',
  'snake_case',
  '$x$',
  '\u00a0',
  '\u202e',
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...hostilePieces), fc.string({ maxLength: 4 })), { maxLength: 12 })
  .map((pieces) => pieces.join(''));

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
/** Without white space, which Markdown does not keep. */
const bare = (text: string): string => text.replaceAll('\0', '\ufffd').replace(/\s+/g, '');
const bareLink = (link: string): string => bare(link).replace(/%(?:0[9A-D]|20|C2%A0)/g, '');

function entryOf(text: string, kind: Entry['kind'], part: Part['type']): Entry {
  const base = { id: 'e', turn: 1 } as const;
  switch (kind) {
    case 'prompt':
      return { kind, ...base, text, attachments: [{ kind: 'file', title: text, path: text }] };
    case 'answer':
    case 'thinking':
    case 'summary':
      return { kind, ...base, text };
    case 'tool':
      return { ...tool, ...base, title: text, input: text, error: text, decision: text, parts: [partOf(text, part)] };
    case 'todos':
      return { kind, ...base, items: [{ text, status: 'completed' }] };
    case 'notice':
      return { kind, ...base, level: 'info', text, details: text };
    case 'media':
      return { kind, ...base, part: partOf(text, part) };
    case 'end':
      return { kind, ...base, outcome: 'failed', text };
    case 'raw':
      return { kind, ...base, label: text, json: text };
  }
}

const tool = { kind: 'tool', name: 'Bash', toolKind: 'execute', state: 'failed' } as const;

function partOf(text: string, type: Part['type']): Part {
  switch (type) {
    case 'text':
      return { type, text };
    case 'diff': {
      const hunks = [{ oldStart: 1, newStart: 1, lines: [{ kind: 'add' as const, text: oneLine(text) }] }];
      return { type, path: text, change: 'modified', added: 1, removed: 0, hunks };
    }
    case 'terminal':
      return { type, command: text, output: text, exitCode: 1 };
    case 'file':
      return { type, path: text, text };
    case 'image':
      return { type, mimeType: 'image/png', data: 'iVBORw0KGgo=', title: text };
    case 'link':
      return { type, uri: `https://example.com/${text}`, title: text };
    case 'list':
      return { type, items: [text, text] };
    case 'json':
      return { type, json: text };
  }
}

const kinds: Entry['kind'][] = [
  'prompt',
  'answer',
  'thinking',
  'tool',
  'todos',
  'notice',
  'summary',
  'media',
  'end',
  'raw',
];
const partTypes: Part['type'][] = ['text', 'diff', 'terminal', 'file', 'image', 'link', 'list', 'json'];
const entry = fc
  .tuple(hostile, fc.constantFrom(...kinds), fc.constantFrom(...partTypes))
  .map(([text, kind, part]) => ({ text, kind, part, entry: entryOf(text, kind, part) }));

const exported = (title: string, entries: readonly Entry[]): string => toMarkdown({ title, agentName: 'Amp' }, entries);

describe('toMarkdown', () => {
  it('contains no HTML except its own details, whatever the texts are', () => {
    fc.assert(
      fc.property(hostile, fc.array(entry, { maxLength: 5 }), (title, items) => {
        const tokens = reader.parse(
          exported(
            title,
            items.map((item) => item.entry),
          ),
          {},
        );
        const tags = htmlIn(tokens);
        const own = tags.filter((tag) => /^(?:<details><summary>[^<>]*<\/summary>|<\/details>)$/.test(tag));
        assert.deepEqual(tags, own);
        const folds = items.filter(({ kind }) => ['thinking', 'tool', 'summary', 'raw'].includes(kind)).length;
        assert.equal(tags.length, 2 * folds);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the outline of the document, and links only where a text has one', () => {
    fc.assert(
      fc.property(hostile, fc.array(entry, { maxLength: 5 }), (title, items) => {
        const tokens = reader.parse(
          exported(
            title,
            items.map((item) => item.entry),
          ),
          {},
        );
        const prompts = items.filter(({ kind }) => kind === 'prompt');
        const outline = headingsIn(tokens).filter(({ level }) => level < 3);
        assert.deepEqual(
          outline.map(({ level, words }) => `${level} ${bare(words)}`),
          [`1 ${bare(title)}`, ...prompts.flatMap(() => ['2 User', '2 Agent'])],
        );
        const allowed = items.flatMap(({ text }) => [
          ...linksIn(pageReader.parse(text, {})),
          pageReader.normalizeLink(`https://example.com/${text}`),
        ]);
        const known = new Set(allowed.map(bareLink));
        assert.deepEqual(
          linksIn(tokens).filter((link) => !known.has(bareLink(link))),
          [],
        );
      }),
      { numRuns: 300 },
    );
  });

  for (const kind of kinds) {
    it(`contains only the texts of an entry of the kind "${kind}"`, () => {
      fc.assert(
        fc.property(hostile, fc.constantFrom(...partTypes), (text, part) => {
          const shown = bare(wordsIn(reader.parse(exported('Title', [entryOf(text, kind, part)]), {})));
          for (const expected of expectedWords(text, kind, part)) {
            // What cannot be written again is shown as it was written.
            const isShown = shown.includes(bare(expected)) || shown.includes(bare(text));
            assert.ok(isShown, `${JSON.stringify(expected)} is not in ${JSON.stringify(shown)}`);
          }
        }),
        { numRuns: 300 },
      );
    });
  }

  it('keeps the Markdown of an agent', () => {
    const markdown = [
      '# Heading',
      'Some **bold**, *italic*, ~~struck~~ and `code` with [a link](https://example.com "Title").',
      '1. one\n2. two\n   - [ ] open\n   - [x] done',
      '> quoted\n> twice',
      '| a | b |\n|:--|--:|\n| `x\\|y` | 2 |',
      '```ts\nlet a: Array<string>;\n```',
      '    indented',
      'Hard  \nbreak',
      '***',
    ].join('\n\n');
    const written = exported('Title', [{ kind: 'answer', id: '1', turn: 1, text: markdown }]);
    assert.deepEqual(
      shapeOf(reader.parse(written.replace(/^.*\n\n.*\n\n/, ''), {})),
      shapeOf(pageReader.parse(markdown, {})).map((shape) => shape.replace(/^h1/, 'h3')),
    );
  });

  it('closes what an answer leaves open, and resolves its reference links', () => {
    const open: Entry = {
      kind: 'answer',
      id: '1',
      turn: 1,
      text: 'See [it][1].\n\n[1]: https://example.com\n\n```ts\nx',
    };
    const next: Entry = { kind: 'answer', id: '2', turn: 1, text: 'After [1] it.' };
    const written = exported('Title', [open, next]);
    assert.match(written, /\[it\]\(https:\/\/example\.com\)\./);
    assert.match(written, /```ts\nx\n```\n\nAfter \\\[1\\\] it\.\n$/);
  });
});

/** What a reader is to find, in its order. */
function expectedWords(text: string, kind: Entry['kind'], part: Part['type']): readonly string[] {
  const prose = wordsIn(pageReader.parse(text, {}));
  const inPart = part === 'text' ? prose : part === 'terminal' || part === 'diff' ? oneLine('') : text;
  if (kind === 'answer' || kind === 'thinking' || kind === 'summary') return [prose];
  if (kind === 'media') return [inPart];
  if (kind === 'tool') return [`${text} — failed, ${text}`, inPart];
  return [text];
}
