import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fitOptions } from '../../../../src/chat/browser/composer/options/fitOptions';
import type { OptionView } from '../../../../src/chat/common/chatView';

const select = (id: string, name: string, unattended?: 'edits' | 'runs'): OptionView => ({
  type: 'select',
  id,
  name: id,
  category: id,
  value: name,
  choices: [{ value: name, name, ...(unattended && { unattended }) }],
});
const model = select('model', 'Opus 4.5');
const effort = select('thought_level', 'High');
const mode = select('mode', 'Default');
const fast: OptionView = { type: 'boolean', id: 'fast', name: 'Fast', value: true };
const all = [model, effort, fast, mode];

const shownAt = (widthPx: number, options = all): string[] =>
  fitOptions(options, 'Claude Code', widthPx).shown.map(({ id }) => id);

describe('fitOptions', () => {
  it('shows all options where there is room for them', () => {
    assert.deepEqual(shownAt(600), ['model', 'thought_level', 'fast', 'mode']);
  });

  it('shows the model first, then the mode', () => {
    assert.deepEqual(shownAt(170), ['model']);
    assert.deepEqual(shownAt(300), ['model', 'mode']);
  });

  it('shows the mode in which the agent does not ask before all others', () => {
    assert.deepEqual(shownAt(170, [model, effort, select('mode', 'Bypass', 'runs')]), ['mode']);
  });

  it('has no menu for a single option that fits without it', () => {
    const { further } = fitOptions([model], 'Claude Code', 180);
    assert.deepEqual(further, []);
  });

  it('loses no option, keeps their order, and hides fewer the more room there is', () => {
    const option = fc
      .record({
        kind: fc.constantFrom('model', 'mode', 'profile', 'thought_level', 'other', 'toggle'),
        name: fc.string({ maxLength: 40 }),
        unattended: fc.option(fc.constantFrom('edits' as const, 'runs' as const), { nil: undefined }),
      })
      .map(({ kind, name, unattended }) =>
        kind === 'toggle'
          ? ({ type: 'boolean', id: name, name, value: true, unattended } as const)
          : select(kind, name, unattended),
      );
    fc.assert(
      fc.property(
        fc.array(option, { maxLength: 8 }),
        fc.string({ maxLength: 40 }),
        fc.integer({ min: 0, max: 1500 }),
        fc.integer({ min: 0, max: 500 }),
        (options, agent, widthPx, morePx) => {
          const { shown, further } = fitOptions(options, agent, widthPx);
          const places = (some: readonly OptionView[]): number[] => some.map((one) => options.indexOf(one));
          assert.deepEqual(
            [...places(shown), ...places(further)].toSorted((a, b) => a - b),
            [...options.keys()],
          );
          for (const list of [places(shown), places(further)]) {
            assert.deepEqual(
              list,
              list.toSorted((a, b) => a - b),
            );
          }
          assert.ok(fitOptions(options, agent, widthPx + morePx).shown.length >= shown.length);
        },
      ),
    );
  });
});
