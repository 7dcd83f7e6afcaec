import assert from 'node:assert/strict';
import fc from 'fast-check';
import { KnownTexts } from '../../../../src/editor/common/knownTexts';

type Step =
  | { readonly kind: 'read' | 'readPart' | 'write' | 'change'; readonly path: string; readonly text: string }
  | { readonly kind: 'delete'; readonly path: string };

const paths = fc.constantFrom('/ws/a', '/ws/b');
/** Long texts, so that only the versions of older ones are kept. */
const texts = fc.constantFrom('one', 'two', 'x'.repeat(5 * 1024 * 1024), 'y'.repeat(5 * 1024 * 1024));
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('read', 'readPart', 'write', 'change'), path: paths, text: texts }),
    fc.record({ kind: fc.constant('delete' as const), path: paths }),
  ),
  { maxLength: 30 },
);

describe('the texts that a peer knows', () => {
  it('never lets it replace a text that it has not read, once it has read the file, without a refusal', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const known = new KnownTexts();
        const disk = new Map<string, string>();
        const seen = new Map<string, Set<string>>();
        const told = new Set<string>();
        const see = (path: string, text: string): void => void seen.set(path, (seen.get(path) ?? new Set()).add(text));
        for (const step of all) {
          const { path } = step;
          const now = disk.get(path);
          if (step.kind === 'change') disk.set(path, step.text);
          else if (step.kind === 'delete') disk.delete(path);
          else if (step.kind === 'write') {
            const state = now === undefined ? 'known' : known.stateOf(path, now);
            if (now !== undefined && state === 'known')
              assert.ok(!seen.has(path) || seen.get(path)?.has(now) === true, `${path}: ${now.slice(0, 9)}`);
            if (state === 'stillUnknown') assert.ok(told.has(path));
            if (state === 'unknown') {
              assert.match(known.tellToRead(path, path).message, /Read it again/);
              told.add(path);
            } else {
              disk.set(path, step.text);
              known.remember(path, step.text);
              see(path, step.text);
              told.delete(path);
            }
          } else if (now === undefined) known.remember(path, null);
          else if (step.kind === 'read') {
            known.remember(path, now);
            assert.equal(known.stateOf(path, now), 'known');
            see(path, now);
          } else {
            known.rememberPart(path, now);
            see(path, now);
          }
        }
      }),
    );
  });

  it('are unknown only until the file is read again', () => {
    const known = new KnownTexts();
    assert.equal(known.stateOf('/ws/a', 'never read'), 'known');
    known.remember('/ws/a', 'one');
    assert.equal(known.stateOf('/ws/a', 'two'), 'unknown');
    known.tellToRead('/ws/a', 'a');
    assert.equal(known.stateOf('/ws/a', 'two'), 'stillUnknown');
    known.rememberPart('/ws/a', 'two');
    assert.equal(known.stateOf('/ws/a', 'two'), 'known');
  });
});
