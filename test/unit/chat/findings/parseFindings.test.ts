import assert from 'node:assert/strict';
import fc from 'fast-check';
import { changesToReview, type ChangedFile } from '../../../../src/chat/common/findings/changesToReview';
import { parseFindings } from '../../../../src/chat/common/findings/parseFindings';

const after = Array.from({ length: 20 }, (_, line) => `line ${line + 1}`).join('\n');
const file: ChangedFile = {
  path: '/ws/src/a.ts',
  shownPath: 'src/a.ts',
  before: after.replace('line 10', 'old 10'),
  after,
};
const deleted: ChangedFile = { path: '/ws/gone.ts', shownPath: 'gone.ts', before: 'gone\n', after: null };

function answerWith(...findings: readonly unknown[]): string {
  return `I looked at it.\n\n\`\`\`json\n${JSON.stringify(findings)}\n\`\`\`\n`;
}

describe('the findings in an answer', () => {
  it('are at the lines of changed files, with their severity', () => {
    const said = { file: 'src/a.ts', line: 3, endLine: 5, text: ' Off by one. ', severity: 'ERROR' };
    const { findings, unplacedCount } = parseFindings(answerWith(said, said), [file]);
    assert.deepEqual(findings, [
      { path: file.path, reviewedText: after, lines: { start: 2, end: 5 }, text: 'Error: Off by one.' },
    ]);
    assert.equal(unplacedCount, 0);
  });

  it('end at the last line, and at their first if they end before it', () => {
    const linesOf = (line: number, endLine: number): unknown =>
      parseFindings(answerWith({ file: './src\\a.ts', line, endLine, text: 'x' }), [file]).findings[0]?.lines;
    assert.deepEqual(linesOf(18, 99), { start: 17, end: 20 });
    assert.deepEqual(linesOf(5, 2), { start: 4, end: 5 });
  });

  it('are only read in the conversation if they name no line of a changed file', () => {
    const places = [
      { file: '../../etc/passwd', line: 1 },
      { file: '/ws/src/a.ts', line: 1 },
      { file: 'src/b.ts', line: 1 },
      { file: 'gone.ts', line: 1 },
      { file: 'src/a.ts', line: 0 },
      { file: 'src/a.ts', line: 21 },
    ];
    const answer = answerWith(...places.map((place) => ({ ...place, text: 'x' })));
    assert.deepEqual(parseFindings(answer, [file, deleted]), { findings: [], unplacedCount: places.length });
  });

  it('are not made of what is no finding, and show hidden characters', () => {
    const nothing = answerWith(1, null, { file: 'src/a.ts' }, { file: 'src/a.ts', line: 1, text: ' ' });
    assert.deepEqual(parseFindings(`${nothing}\n\`\`\`json\n{\n\`\`\`\n\`\`\`ts\n[]\n\`\`\``, [file]).findings, []);
    const hidden = parseFindings(answerWith({ file: 'src/a.ts', line: 1, text: 'a\u202eb' }), [file]).findings;
    assert.ok(hidden[0] && !hidden[0].text.includes('\u202e'));
  });

  it('are at most 200', () => {
    const many = Array.from({ length: 250 }, (_, index) => ({ file: 'src/a.ts', line: 1, text: `finding ${index}` }));
    const { findings, unplacedCount } = parseFindings(answerWith(...many), [file]);
    assert.deepEqual([findings.length, unplacedCount], [200, 50]);
  });

  it('name lines that exist, whatever an agent says', () => {
    const said = fc.record({
      file: fc.oneof(fc.constantFrom('src/a.ts', 'gone.ts'), fc.string()),
      line: fc.oneof(fc.integer({ min: -3, max: 30 }), fc.double()),
      endLine: fc.option(fc.integer(), { nil: undefined }),
      text: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(said), (items) => {
        for (const { lines, path } of parseFindings(answerWith(...items), [file, deleted]).findings) {
          assert.equal(path, file.path);
          assert.ok(lines.start >= 0 && lines.end > lines.start && lines.end <= 20);
        }
      }),
    );
  });
});

describe('the changes that an agent reviews', () => {
  it('have the numbers of the new lines, and a little of what is around them', () => {
    const { text } = changesToReview([
      file,
      deleted,
      { ...file, shownPath: 'new.ts', before: null, after: 'one\ntwo' },
    ]);
    assert.equal(
      text,
      `=== src/a.ts (modified)
   …
 7   line 7
 8   line 8
 9   line 9
   - old 10
10 + line 10
11   line 11
12   line 12
13   line 13

=== gone.ts (deleted)

=== new.ts (created)
1 + one
2 + two

`,
    );
  });

  it('are only named if they are too long, so no finding can be about them', () => {
    const long = { ...file, path: '/ws/long.ts', shownPath: 'long.ts', before: null, after: 'x\n'.repeat(100_000) };
    const { files, text } = changesToReview([long, file]);
    assert.deepEqual(files, [file]);
    assert.match(text, /too long:\nlong\.ts\n$/);
  });
});
