import assert from 'node:assert/strict';
import type { ConfigOption } from '../../../../src/session/common/sessionEvents';
import {
  applyChoices,
  findOption,
  highestUnattendedAction,
  findOfferedValue,
  type RequestedOption,
  type ConfigurableSession,
  type OptionValue,
} from '../../../../src/session/common/optionChoices';

const select = (id: string, value: string, ...others: string[]): ConfigOption => ({
  type: 'select',
  id,
  name: id.toUpperCase(),
  category: id,
  value,
  choices: [value, ...others].map((one) => ({ value: one, name: `The ${one}` })),
});

/** A backend that takes what `takes` lets it. */
class Target implements ConfigurableSession {
  readonly calls: string[] = [];

  constructor(
    public config: readonly ConfigOption[],
    private readonly takes: (id: string) => boolean = () => true,
  ) {}

  setConfig(id: string, value: OptionValue): Promise<void> {
    this.calls.push(`${id}=${String(value)}`);
    if (!this.takes(id)) return Promise.reject(new Error('The model is busy.'));
    this.config = this.config.map((option) =>
      option.id !== id
        ? option
        : option.type === 'boolean'
          ? { ...option, value: value === true }
          : { ...option, value: String(value) },
    );
    return Promise.resolve();
  }
}

const choice = (option: string, value: OptionValue, more: Partial<RequestedOption> = {}): RequestedOption => ({
  option,
  value,
  from: 'user',
  isShown: true,
  ...more,
});

describe('choices for a session', () => {
  it('are set with the model first and the mode last, and only what differs', async () => {
    const target = new Target([
      select('mode', 'ask', 'plan'),
      select('effort', 'low', 'high'),
      select('model', 'a', 'b'),
    ]);
    await applyChoices(target, [choice('mode', 'plan'), choice('effort', 'low'), choice('model', 'b')], 'Agent');
    assert.deepEqual(target.calls, ['model=b', 'mode=plan']);
  });

  it('name an option by its id or its category, and a value by itself or by its name', () => {
    const mode: ConfigOption = { ...select('m1', 'x#plan', 'x#agent'), category: 'mode' };
    assert.equal(findOption([select('effort', 'low'), mode], 'mode'), mode);
    assert.equal(findOfferedValue(mode, 'x#agent'), 'x#agent');
    assert.equal(findOfferedValue(mode, 'the X#AGENT'), 'x#agent');
    assert.equal(findOfferedValue(mode, 'agent'), undefined);
    assert.equal(findOfferedValue(mode, true), undefined);
  });

  it('that are refused stop everything, in words that explain what to do', async () => {
    const target = new Target([select('mode', 'ask', 'plan')], () => false);
    await assert.rejects(applyChoices(target, [choice('mode', 'plan')], 'Agent'), {
      code: 'optionRefused',
      message:
        'Agent could not switch to MODE "The plan", so nothing was sent. The model is busy. Check the options below the prompt, then send it again.',
    });
  });

  it('of a mode hold after all others are set, or stop everything', async () => {
    const target = new Target([select('mode', 'ask', 'plan')]);
    target.setConfig = () => Promise.resolve();
    await assert.rejects(applyChoices(target, [choice('mode', 'plan')], 'Agent'), /It is still "The ask"/);
  });

  it('that were shown and are not offered stop everything, others come back', async () => {
    const options = [select('mode', 'ask'), select('effort', 'low')];
    await assert.rejects(applyChoices(new Target(options), [choice('mode', 'plan')], 'Agent'), {
      code: 'optionRefused',
      message: /no longer offers "plan", so nothing was sent. It would start with MODE "The ask"/,
    });
    const unseen = choice('mode', 'plan', { from: 'settings', isShown: false });
    const small = choice('effort', 'gone');
    const target = new Target(options);
    assert.deepEqual(await applyChoices(target, [unseen, small, choice('none', true)], 'Agent'), [
      small,
      choice('none', true),
      unseen,
    ]);
    assert.deepEqual(target.calls, []);
  });

  it('tell what the agent does without asking', () => {
    const mode = { ...select('mode', 'ask'), choices: [{ value: 'ask', name: 'Ask', unattended: 'edits' as const }] };
    const allowAll = (value: boolean): ConfigOption => ({
      type: 'boolean',
      id: 'allow_all',
      name: 'Allow all',
      value,
      unattended: 'runs',
    });
    assert.equal(highestUnattendedAction([select('mode', 'ask')]), undefined);
    assert.equal(highestUnattendedAction([mode as ConfigOption, allowAll(false)]), 'edits');
    assert.equal(highestUnattendedAction([mode as ConfigOption, allowAll(true)]), 'runs');
  });
});
