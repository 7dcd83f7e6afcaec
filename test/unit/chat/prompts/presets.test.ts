import assert from 'node:assert/strict';
import type { BackendView, OptionView } from '../../../../src/chat/common/chatView';
import { beginWithPreset } from '../../../../src/chat/common/prompts/beginWithPreset';
import { narrowPreset } from '../../../../src/chat/common/prompts/narrowPreset';
import { parsePresets, withPreset, type Preset } from '../../../../src/chat/common/prompts/presetSetting';
import { joinInstructions, maxInstructionUnits } from '../../../../src/chat/common/prompts/standingInstructions';
import { SettingPresets } from '../../../fake/settingPresets';

const review = {
  agent: 'claude',
  model: 'opus',
  mode: 'plan',
  options: { fast: true },
  instructions: 'Only review.',
  permissions: { edit: 'deny' },
};

describe('parsePresets', () => {
  it('reads the user’s presets before the workspace’s, whose names do not replace them', () => {
    const { presets, problems } = parsePresets({ Review: review }, { Review: { agent: 'evil' }, Team: {} });
    assert.deepEqual(problems, []);
    assert.deepEqual(presets, [
      {
        name: 'Review',
        isOfWorkspace: false,
        agent: 'claude',
        values: { fast: true, model: 'opus', mode: 'plan' },
        instructions: 'Only review.',
        limits: { edit: 'deny' },
      },
      { name: 'Team', isOfWorkspace: true, agent: undefined, values: {}, instructions: undefined, limits: undefined },
    ]);
    assert.deepEqual(parsePresets(undefined, null), { presets: [], problems: [] });
  });

  it('says what is wrong, and keeps the rest', () => {
    const { presets, problems } = parsePresets(
      { A: 1, B: { modle: 'x', model: 2, options: { a: 3, b: 'c' } }, C: { options: [] }, ' ': {} },
      'no table',
    );
    assert.deepEqual(problems, [
      '"A" is not an object',
      '"B" has an unknown property "modle"',
      '"model" of "B" is not a text',
      'the option "a" of "B" is neither a text nor true or false',
      '"options" of "C" is not an object',
      'a preset has no name',
      'the value is not an object',
    ]);
    assert.deepEqual(
      presets.map(({ name, values }) => [name, values]),
      [
        ['B', { b: 'c' }],
        ['C', {}],
      ],
    );
  });

  it('takes no permission that allows something, and asks where it is not clear', () => {
    const permissions = { read: 'allow', edit: 'deny', run: 1, look: 'deny' };
    const { presets, problems } = parsePresets({ A: { permissions }, B: { permissions: 'deny' } }, undefined);
    assert.deepEqual(
      presets.map(({ limits }) => limits),
      [
        { read: 'ask', edit: 'deny', run: 'ask' },
        { read: 'ask', edit: 'ask', run: 'ask', fetch: 'ask' },
      ],
    );
    assert.deepEqual(problems, [
      '"read" in "permissions" of "A" is neither ask nor deny, so it is treated as ask',
      '"run" in "permissions" of "A" is neither ask nor deny, so it is treated as ask',
      '"permissions" of "A" has an unknown property "look"',
      '"permissions" of "B" is not an object, so every action needs your approval',
    ]);
  });

  it('reads what was saved as it was, beside what was there', () => {
    const [saved] = parsePresets({ Review: review }, undefined).presets;
    assert.ok(saved);
    assert.deepEqual(withPreset({ Other: 7 }, saved), { Other: 7, Review: review });
    const plain = { name: 'Plain', agent: 'codex', values: {}, instructions: undefined, limits: undefined };
    assert.deepEqual(withPreset(undefined, plain), { Plain: { agent: 'codex' } });
  });
});

const choices = [
  { value: 'plan', name: 'Plan' },
  { value: 'ask', name: 'Ask first' },
  { value: 'yolo', name: 'All', unattended: 'runs' as const },
  { value: 'turbo', name: 'Turbo' },
];
const mode = { type: 'select' as const, id: 'm', name: 'Mode', category: 'mode', value: 'ask', choices };
const offered: OptionView[] = [
  mode,
  { type: 'select', id: 'model', name: 'Model', category: 'model', value: 'a', choices: [{ value: 'a', name: 'A' }] },
  {
    type: 'select',
    id: 'effort',
    name: 'Effort',
    category: 'thought_level',
    value: 'a',
    choices: [{ value: 'a', name: 'A' }],
  },
  { type: 'boolean', id: 'sandbox', name: 'Sandbox', value: true },
];

describe('narrowPreset', () => {
  const narrow = (values: Preset['values'], isOfWorkspace = true, options = offered) =>
    narrowPreset(
      { name: 'x', isOfWorkspace, agent: undefined, values, instructions: undefined, limits: undefined },
      options,
    );

  it('leaves out of a workspace’s preset what could let an agent act without asking', () => {
    assert.deepEqual(narrow({ mode: 'yolo', model: 'a', effort: 'a', sandbox: false }), {
      values: { model: 'a', effort: 'a' },
      left: ['mode “yolo”', 'sandbox “false”'],
    });
    assert.deepEqual(narrow({ m: 'All' }).values, {}, 'also by the id of the option and the name of the value');
    assert.deepEqual(narrow({ mode: 'plan' }), { values: { mode: 'plan' }, left: [] });
    assert.deepEqual(
      narrow({ mode: 'turbo' }),
      { values: {}, left: ['mode “turbo”'] },
      'a mode of which nothing is known',
    );
    const inTurbo = [{ ...mode, value: 'turbo' }];
    assert.deepEqual(
      narrow({ mode: 'turbo' }, true, inTurbo).values,
      { mode: 'turbo' },
      'unless it is the present one',
    );
  });

  it('leaves out what is not known to be offered, except for the model', () => {
    assert.deepEqual(narrow({ mode: 'new', model: 'b' }).values, {});
    assert.deepEqual(narrow({ mode: 'plan', effort: 'a', model: 'b' }, true, []), {
      values: { model: 'b' },
      left: ['mode “plan”', 'effort “a”'],
    });
  });

  it('keeps everything of the user’s preset', () => {
    assert.deepEqual(narrow({ mode: 'yolo', sandbox: false }, false), {
      values: { mode: 'yolo', sandbox: false },
      left: [],
    });
  });
});

describe('joinInstructions', () => {
  it('names the workspace’s text, and ends with that of the preset', () => {
    assert.equal(
      joinInstructions({ ofUser: 'Be brief.', ofWorkspace: 'Use tabs.' }, 'Only review.'),
      'Be brief.\n\nInstructions of this workspace:\nUse tabs.\n\nOnly review.',
    );
    assert.equal(joinInstructions({ ofUser: ' ', ofWorkspace: '' }), '');
  });

  it('cuts texts that are too long', () => {
    assert.equal(joinInstructions({ ofUser: 'x'.repeat(1e6), ofWorkspace: '' }).length, maxInstructionUnits);
  });
});

describe('Presets', () => {
  it('are for the next conversation with their agent, until one has begun', () => {
    const presets = new SettingPresets({ user: { Review: review } }, { ofUser: 'Be brief.', ofWorkspace: '' });
    let changes = 0;
    presets.onDidChange(() => {
      changes++;
    });
    const [preset] = presets.all;
    assert.ok(preset);
    presets.choose(preset, 'claude');
    assert.deepEqual(presets.presetFor('claude'), {
      name: 'Review',
      instructions: 'Only review.',
      limits: { edit: 'deny' },
    });
    assert.equal(presets.presetFor('codex'), undefined);
    assert.deepEqual(presets.viewFor(presets.presetFor('claude')), {
      presets: [
        { name: 'Review', detail: 'claude · true · opus · plan · edit: deny · Only review.', isOfWorkspace: false },
      ],
      instructions: 'Be brief.\n\nOnly review.',
      preset: 'Review',
    });
    presets.clearChoice();
    assert.equal(presets.presetFor('claude'), undefined);
    assert.equal(changes, 2);
  });
});

describe('beginWithPreset', () => {
  const view = (id: string, title: string): BackendView => ({
    id,
    title,
    description: '',
    source: 'configured',
    state: 'stopped',
  });

  async function begin(values: { user?: unknown; workspace?: unknown }, name: string) {
    const done: unknown[] = [];
    const presets = new SettingPresets(values);
    const views = [view('codex', 'Codex'), view('claude', 'Claude')];
    await beginWithPreset(name, {
      presets,
      backends: {
        backendViews: views,
        chosenBackend: views[0],
        choose: (id) => void done.push(['choose', id]),
        refresh: () => Promise.resolve(),
      },
      newOptions: {
        of: (id) => ({
          options: offered,
          choose: () => assert.fail('a preset does not change what later conversations begin with'),
          chooseOnce: (chosen) => void done.push([id, chosen]),
        }),
      },
      notify: (text) => void done.push(text),
    });
    return { done, presets };
  }

  it('chooses the agent by id or title, and the options for only one conversation', async () => {
    const { done, presets } = await begin({ user: { Review: { ...review, agent: 'Claude' } } }, 'Review');
    assert.deepEqual(done, [
      ['choose', 'claude'],
      ['claude', { fast: true, model: 'opus', mode: 'plan' }],
    ]);
    assert.equal(presets.presetFor('claude')?.name, 'Review');
  });

  it('keeps the agent if the preset names none', async () => {
    const { done } = await begin({ user: { Plan: { mode: 'plan' } } }, 'Plan');
    assert.deepEqual(done, [['codex', { mode: 'plan' }]]);
  });

  it('says what of a workspace’s preset is left out', async () => {
    const { done } = await begin({ workspace: { Team: { mode: 'yolo', model: 'a' } } }, 'Team');
    assert.deepEqual(done[0], ['codex', { model: 'a' }]);
    assert.match(String(done[1]), /“Team” of this workspace was used without mode “yolo”/);
  });

  it('says when the preset or its agent does not exist', async () => {
    await assert.rejects(begin({}, 'Gone'), /no preset “Gone”/);
    await assert.rejects(begin({ user: { A: { agent: 'gone' } } }, 'A'), /agent of the preset “A”.*gone/);
  });
});
