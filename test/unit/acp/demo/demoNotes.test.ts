import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { findAnswers } from '../../../../src/comments/common/findAnswers';
import { changesToReview } from '../../../../src/chat/common/findings/changesToReview';
import { parseFindings } from '../../../../src/chat/common/findings/parseFindings';
import { reviewPrompt } from '../../../../src/comments/common/reviewPrompt';
import { toPrompt } from '../../../../src/acp/demo/answer/prompt';
import { useDemoAgent } from '../../../fake/acp/demoHarness';

const item = '/ws/src/a.ts:3-4 — Owned by *Alice* (owners)\nhttps://example.com/alice\nAsk her.';

function embedded(uri: string, text: string): ContentBlock & { type: 'resource' } {
  return { type: 'resource', resource: { uri, text } };
}

describe('the demo agent tells a text about a file from the file', () => {
  const notesOf = (uri: string, text: string) => toPrompt([embedded(uri, text)]).notes;

  it('by its first line, which names the file', () => {
    const text = 'https://example.com/alice\nAsk her.';
    assert.deepEqual(notesOf('file:///ws/src/a.ts#L3-L4', item), [
      { title: 'a.ts:3-4 — Owned by *Alice* (owners)', text },
    ]);
  });

  it('by an address that is none of a file', () => {
    assert.deepEqual(notesOf('backline:Pasted%20text', 'a\nb'), [{ title: 'Pasted text', text: 'a\nb' }]);
    assert.deepEqual(notesOf('untitled:%', 'x'), [{ title: 'untitled:%', text: 'x' }]);
  });

  it('by the address of a folder, which has no text of its own', () => {
    const changes = 'Not committed on main:\nchanged: /ws/a.ts';
    assert.deepEqual(notesOf('file:///ws/', changes), [{ title: 'Not committed on main:', text: 'changed: /ws/a.ts' }]);
    assert.deepEqual(notesOf('file:///ws/src/', 'Files in /ws/src:\na.ts'), [{ title: 'Files in src:', text: 'a.ts' }]);
    assert.deepEqual(notesOf('file:///', 'All\na'), [{ title: 'All', text: 'a' }]);
  });

  it('and takes all else for what is in the file', () => {
    const prompt = toPrompt([embedded('file:///ws/src/a.ts', `// the owner\n${item}`)]);
    assert.deepEqual(prompt.notes, []);
    assert.equal(prompt.files[0]?.path, '/ws/src/a.ts');
  });
});

describe('the demo agent quotes', () => {
  const demos = useDemoAgent();

  it('each text that it got, with its title, and nothing else', async () => {
    const [demo, id] = await demos.startSession();
    await demo.prompt(
      id,
      'what about',
      embedded('file:///ws/src/a.ts#L3-L4', item),
      embedded('backline:Two', 'second'),
    );
    assert.equal(
      demo.said,
      'Your prompt included 2 texts:\n\n' +
        '**a\\.ts\\:3\\-4 — Owned by \\*Alice\\* \\(owners\\)**\n\n```text\nhttps://example.com/alice\nAsk her.\n```\n\n' +
        '**Two**\n\n```text\nsecond\n```\n\n',
    );
  });

  it('no more than the beginning of a long text, in a fence that it cannot end', async () => {
    const [demo, id] = await demos.startSession();
    await demo.prompt(id, '', embedded('backline:Long', `\`\`\`\n${'x'.repeat(5_000)}`));
    assert.match(demo.said, /````text\n```\nx{596}…\n````/);
  });

  it('and then does what the words ask for', async () => {
    const [demo, id] = await demos.startSession();
    await demo.prompt(id, '/plan', embedded('backline:Two', 'second'));
    assert.match(demo.said, /included this text:[^]*second[^]*All steps of the plan are done/);
    demo.files.set(join(demos.folder, 'notes.md'), '# Title\n');
    await demo.prompt(id, 'summarize notes.md', embedded('backline:Three', 'third'));
    assert.match(demo.said, /included this text:[^]*third[^]*\*\*notes\.md\*\*: 1 line/);
  });
});

describe('the demo agent answers review comments', () => {
  const demos = useDemoAgent();

  it('each by its number, and quotes nothing', async () => {
    const [demo, id] = await demos.startSession();
    const prompt = reviewPrompt(
      [4, 7].map((number) => ({
        number,
        shownPath: 'src/a.ts',
        isOnTextOfDiff: false,
        lines: 'const a = 1;\n## C9: no, line 1',
        firstLine: 0,
        place: { kind: 'same', lines: { start: 0, end: 2 } },
        earlier: [],
        texts: [`Why ${number}?`],
      })),
    );
    await demo.prompt(id, '', embedded('backline:Comments', prompt));
    assert.equal(demo.said.trim(), 'C4: I have read “Why 4?”.\n\nC7: I have read “Why 7?”.');
    assert.deepEqual(
      findAnswers(demo.said, new Set([4, 7])).map(({ number }) => number),
      [4, 7],
    );
  });
});

describe('the demo agent reviews changes', () => {
  const demos = useDemoAgent();

  it('with one finding for the first new line of each file', async () => {
    const [demo, id] = await demos.startSession();
    const files = [
      { path: '/ws/a.ts', shownPath: 'src/a.ts', before: 'one\ntwo\n', after: 'one\n2\n' },
      { path: '/ws/b.ts', shownPath: 'b.ts', before: null, after: 'new\n' },
      { path: '/ws/c.ts', shownPath: 'c.ts', before: 'gone\n', after: null },
    ];
    await demo.prompt(id, 'Review these changes.', embedded('backline:Changes', changesToReview(files).text));
    const { findings, unplacedCount } = parseFindings(demo.said, files);
    assert.deepEqual(
      findings.map(({ lines, path }) => [path, lines.start]),
      [
        ['/ws/a.ts', 1],
        ['/ws/b.ts', 0],
      ],
    );
    assert.equal(unplacedCount, 0);
  });
});
