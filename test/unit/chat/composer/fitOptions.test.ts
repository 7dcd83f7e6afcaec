import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fitOptions, type PickerRow } from '../../../../src/chat/browser/composer/options/fitOptions';
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

const rowOf = (widthPx: number): PickerRow => ({ widthPx, measure: (text) => 7 * text.length });
const shownAt = (widthPx: number, options = all): string[] =>
  fitOptions(options, 'Claude Code', rowOf(widthPx)).shown.map(({ option }) => option.id);
const textsAt = (widthPx: number, options: readonly OptionView[]): string[] =>
  fitOptions(options, 'Claude Code', rowOf(widthPx)).shown.map(({ text }) => text);

describe('fitOptions', () => {
  it('shows all options where there is room for them', () => {
    assert.deepEqual(shownAt(600), ['model', 'thought_level', 'fast', 'mode']);
  });

  it('shows the model first, then the mode', () => {
    assert.deepEqual(shownAt(150), ['model']);
    assert.deepEqual(shownAt(230), ['model', 'mode']);
  });

  it('shows the mode in which the agent does not ask before all others', () => {
    assert.deepEqual(shownAt(170, [model, effort, select('mode', 'Bypass', 'runs')]), ['mode']);
  });

  it('shows what fits as a whole rather than a part of what is more important', () => {
    assert.deepEqual(textsAt(144, [select('model', 'opencode/big-pickle'), select('mode', 'Plan')]), ['Plan']);
    assert.deepEqual(textsAt(250, [select('model', 'opencode/big-pickle'), select('mode', 'Plan')]), [
      'opencode/big-pickle',
      'Plan',
    ]);
  });

  it('cuts the only name that it shows after a word, and never hides that the agent does not ask', () => {
    const bypass = select('mode', 'Bypass Permissions', 'runs');
    assert.deepEqual(textsAt(160, [model, bypass]), ['Bypass…']);
    assert.deepEqual(textsAt(144, [select('model', 'a/model-without-spaces')]), ['a/model-without-spaces']);
    assert.deepEqual(textsAt(110, [bypass, model]), []);
  });

  it('shows the name of the agent where most of the row remains for options, whatever they are', () => {
    for (const options of [[], all, [model]])
      assert.equal(fitOptions(options, 'Claude Code', rowOf(360)).isAgentNamed, true);
    for (const options of [[], all]) assert.equal(fitOptions(options, 'Claude Code', rowOf(290)).isAgentNamed, false);
  });

  it('shows the name of the agent where all options fit beside it, and else puts none of them into the menu for it', () => {
    const fitted = (widthPx: number) => fitOptions([model, mode], 'Claude Code', rowOf(widthPx));
    assert.deepEqual([fitted(245).isAgentNamed, fitted(245).further], [true, []]);
    assert.deepEqual([fitted(244).isAgentNamed, fitted(244).further], [false, []]);
  });

  it('has no menu for a single option that fits without it', () => {
    const { further } = fitOptions([model], 'Claude Code', rowOf(120));
    assert.deepEqual(further, []);
  });

  it('loses no option, keeps their order, and shows names that fit into the row', () => {
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
        (options, agent, widthPx) => {
          const { shown, further, isAgentNamed } = fitOptions(options, agent, rowOf(widthPx));
          const pickers = shown.map(({ option }) => option);
          const places = (some: readonly OptionView[]): number[] => some.map((one) => options.indexOf(one));
          assert.deepEqual(
            [...places(pickers), ...places(further)].toSorted((a, b) => a - b),
            [...options.keys()],
          );
          for (const list of [places(pickers), places(further)]) {
            assert.deepEqual(
              list,
              list.toSorted((a, b) => a - b),
            );
          }
          const textPx = shown.reduce((sum, { text }) => sum + 7 * text.length, isAgentNamed ? 7 * agent.length : 0);
          if (shown.length > 1) assert.ok(textPx < widthPx);
        },
      ),
    );
  });
});
