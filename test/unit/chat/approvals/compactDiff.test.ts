import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { compactDiff } from '../../../../src/chat/common/approvals/compactDiff';
import type { DiffPart } from '../../../../src/transcript/common/entries';
import { createDiff } from '../../../../src/transcript/common/lineDiff';

const compact = (before: readonly string[], after: readonly string[]): DiffPart =>
  compactDiff(createDiff('a.ts', `${before.join('\n')}\n`, `${after.join('\n')}\n`));
const linesOf = ({ hunks }: DiffPart) => hunks.flatMap(({ lines }) => lines);
const marked = (part: DiffPart): string[] =>
  linesOf(part).flatMap(({ marks = [], text }) => marks.map(([from, to]) => text.slice(from, to)));

describe('compactDiff', () => {
  it('marks the words that differ, and none in lines with little in common', () => {
    const part = compact(['sort((a, b) => a.energy - b.loudness);'], ['sort((a, b) => a.energy - b.energy);']);
    assert.deepEqual(marked(part), ['loudness', 'energy']);
    assert.deepEqual(marked(compact(['import one from "two";'], ['export function three() {'])), []);
    assert.deepEqual(marked(compact(['a b'], ['a b', 'a c'])), []);
  });

  it('compares no more words than a card can show', () => {
    const lines = (word: string) => Array.from({ length: 80 }, (_, at) => `const line${at} = ${word};`);
    assert.equal(marked(compact(lines('one'), lines('two'))).length, 2 * 50);
    const long = (word: string) => Array.from({ length: 31 }, () => `same ${word}`).join(' ');
    assert.deepEqual(marked(compact([long('a')], [long('b')])), []);
    assert.equal(marked(compact([long('a').slice(0, 60)], [long('b').slice(0, 60)])).length, 16);
  });

  it('keeps one line of context with the right numbers', () => {
    const [hunk] = compact(['1', '2', '3', '4', 'x', '6', '7', '8'], ['1', '2', '3', '4', 'y', '6', '7', '8']).hunks;
    assert.deepEqual([hunk?.oldStart, hunk?.newStart], [4, 4]);
    assert.deepEqual(
      hunk?.lines.map(({ text }) => text),
      ['4', 'x', 'y', '6'],
    );
  });

  it('cuts the indentation that all lines share, and moves the marks', () => {
    const part = compact(
      ['\t\tif (a) {', '\t\t\treturn two', '\t\t}'],
      ['\t\tif (a) {', '\t\t\treturn three', '\t\t}'],
    );
    assert.deepEqual(
      linesOf(part).map(({ text }) => text),
      ['if (a) {', '\treturn two', '\treturn three', '}'],
    );
    assert.deepEqual(marked(part), ['two', 'three']);
    const mixed = compact(['\tone', '  two'], ['\tone', '  three']);
    assert.equal(linesOf(mixed)[0]?.text, '\tone');
  });

  it('says that only white space changed, but not if words are split, joined, moved or cannot be seen', () => {
    const only = (before: string[], after: string[]): boolean => compact(before, after).isSpaceOnly ?? false;
    assert.ok(only(['if (a) {', 'b', '}'], ['  if (a) {', '    b', '  }']));
    assert.ok(only(['a', '', 'b '], ['a', 'b']));
    assert.ok(!only(['rm -rf /tmp'], ['rm -rf / tmp']));
    assert.ok(!only(['a', 'b'], ['b', 'a']));
    assert.ok(!only(['a b'], ['a\u00a0b']));
    assert.ok(!only(['a b'], ['a', 'b']));
    assert.equal(compactDiff({ ...compact(['a'], [' a']), isSpaceOnly: undefined, omitted: 1 }).isSpaceOnly, undefined);
  });

  it('loses no changed line and nothing but shared indentation, whatever changes', () => {
    const line = fc.stringMatching(/^[ \t]{0,4}[ab ]{0,6}$/);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.array(line, { maxLength: 12 }), (before, after) => {
        const whole = createDiff('a.ts', before.join('\n'), after.join('\n'));
        const small = compactDiff(whole);
        const changed = (part: DiffPart) => linesOf(part).filter(({ kind }) => kind !== 'context');
        assert.equal(changed(small).length, changed(whole).length);
        const cuts = changed(whole).map(({ text }, at) => {
          const shown = changed(small)[at]?.text ?? '';
          assert.ok(text.endsWith(shown));
          const cut = text.slice(0, text.length - shown.length);
          assert.equal(cut.trim(), '');
          return text.trim() === '' ? undefined : cut;
        });
        assert.ok(new Set(cuts.filter((cut) => cut !== undefined)).size <= 1, 'the same for all');
        for (const { marks = [], text } of linesOf(small)) {
          for (const [from, to] of marks) assert.ok(from >= 0 && from <= to && to <= text.length);
        }
      }),
    );
  });
});
