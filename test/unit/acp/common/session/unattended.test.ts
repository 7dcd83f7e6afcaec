import assert from 'node:assert/strict';
import { ConfigOptions } from '../../../../../src/acp/common/session/configOptions';
import { unattendedActionsOfValue } from '../../../../../src/acp/common/session/unattended';

type Case = readonly [
  agent: string | undefined,
  value: string,
  name: string,
  description: string,
  expected: 'edits' | 'runs' | undefined,
];

const cases: readonly Case[] = [
  ['claude', 'default', 'Default', '', undefined],
  ['claude', 'acceptEdits', 'Accept Edits', '', 'edits'],
  ['claude', 'plan', 'Plan Mode', '', undefined],
  ['claude', 'dontAsk', "Don't Ask", 'Do not prompt for permissions, deny what is not allowed', undefined],
  ['claude', 'auto', 'Auto', '', 'runs'],
  ['claude', 'bypassPermissions', 'Bypass Permissions', '', 'runs'],
  ['codex', 'read-only', 'Read Only', '', undefined],
  ['codex', 'auto', 'Default', 'Edits files and runs commands', 'runs'],
  ['codex', 'auto_review', 'Auto review', '', 'runs'],
  ['codex', 'full-access', 'Full Access', '', 'runs'],
  ['gemini', 'autoEdit', 'Auto Edit', '', 'edits'],
  ['gemini', 'yolo', 'YOLO', '', 'runs'],
  ['qwen', 'auto-edit', 'Auto Edit', '', 'edits'],
  ['opencode', 'build', 'build', '', 'runs'],
  ['opencode', 'plan', 'plan', '', undefined],
  ['copilot', 'https://example.org/session-modes#agent', 'Agent', '', undefined],
  ['copilot', 'https://example.org/session-modes#autopilot', 'Autopilot', '', 'runs'],
  ['goose', 'smart_approve', 'Smart approve', '', undefined],
  // Of an agent that nobody knows.
  [undefined, 'bypassPermissions', 'Bypass', '', 'runs'],
  [undefined, 'x1', 'Accept all edits', '', 'edits'],
  [undefined, 'auto', 'Auto', '', 'runs'],
  [undefined, 'auto-approve', 'Hands off', '', 'runs'],
  [undefined, 'build', 'Build', '', undefined],
  [undefined, 'default', 'Default', '', undefined],
  [undefined, 'automation-expert', 'Automation expert', 'Writes pipelines', undefined],
  [undefined, 'm1', 'Write', 'Edit files without asking. Everything else is the same as in Ask', 'edits'],
  [undefined, 'm2', 'Free', 'Runs commands and edits files without confirmation', 'runs'],
  [undefined, 'm3', 'Safe', 'Never runs commands without asking', undefined],
  [undefined, 'm4', 'Fast', 'Automatically approves file changes.', 'edits'],
  [undefined, 'm5', 'Careful', "Doesn't automatically approve anything", undefined],
  [undefined, 'dont-ask', "Don't ask", 'Deny what needs a permission', undefined],
];

describe('modes that work without asking', () => {
  for (const [agent, value, name, description, expected] of cases) {
    it(`tell it: ${agent ?? 'unknown'} in '${value}' (${name}; ${description}) ${expected ?? 'asks'}`, () => {
      assert.equal(unattendedActionsOfValue(agent, { value, name, description }), expected);
    });
  }

  it('are marked among the choices of a mode, and of what is called permissions, but never of a model', () => {
    const options = new ConfigOptions(() => 'copilot');
    const select = (id: string, category: string, ...values: string[]) => ({
      type: 'select' as const,
      id,
      name: id,
      description: undefined,
      category,
      currentValue: values[0] ?? '',
      options: values.map((value) => ({ value, name: value, description: undefined })),
    });
    options.setDeclaredOptions([
      select('mode', 'mode', 'a#agent', 'a#autopilot'),
      select('model', 'model', 'auto', 'gpt'),
      select('allow_all', 'permissions', 'off', 'on'),
      {
        type: 'boolean',
        id: 'yolo',
        name: 'YOLO',
        description: undefined,
        category: undefined,
        currentValue: false,
      },
    ]);
    const marks = options.options.map((option) =>
      option.type === 'boolean' ? option.unattended : option.choices.map(({ unattended }) => unattended),
    );
    assert.deepEqual(marks, [[undefined, 'runs'], [undefined, undefined], [undefined, 'runs'], 'runs']);
  });

  it('are marked among modes that come the older way, once it is known which agent it is', () => {
    const known: { agent?: string } = {};
    const options = new ConfigOptions(() => known.agent);
    const build = { id: 'build', name: 'build', description: undefined };
    options.applySetup({
      sessionId: 's1',
      modes: { currentModeId: 'build', availableModes: [build] },
      models: undefined,
      configOptions: undefined,
    });
    const mark = () => options.options.map((option) => option.type === 'select' && option.choices[0]?.unattended);
    assert.deepEqual(mark(), [undefined]);
    known.agent = 'opencode';
    assert.deepEqual(mark(), ['runs']);
  });
});
