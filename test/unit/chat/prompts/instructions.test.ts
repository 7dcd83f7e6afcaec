import assert from 'node:assert/strict';
import type { NewSessionOptionsPort } from '../../../../src/chat/common/conversations/newSessionOptionsPort';
import { SettingPresets } from '../../../fake/settingPresets';
import { until } from '../../../support/eventually';
import { draft, Window } from '../support/window';

/** What agents are told in each turn. */
describe('The instructions of a conversation', () => {
  const presets = new SettingPresets();
  let window: Window;
  beforeEach(async () => {
    presets.instructions.ofUser = 'Be brief.';
    const starts: NewSessionOptionsPort = {
      of: () => ({ options: [], choose: () => undefined }),
      setPreparedSession: () => undefined,
      instructionsFor: (preset) => presets.instructionsFor(preset),
    };
    window = await Window.open({ starts });
  });
  afterEach(() => window.remove());

  /** Begins a conversation. Returns it with what the backend got. */
  async function begin(takesInstructions: boolean) {
    const { agent } = window;
    agent.takesInstructions = takesInstructions;
    const asked: unknown[] = [];
    const create = agent.createSession.bind(agent);
    agent.createSession = (options, signal) => {
      asked.push(options.instructions, options.limits);
      return create(options, signal);
    };
    const chat = await window.chats.create('one', { preset });
    await chat.send(draft('Hello'));
    return { chat, asked, session: agent.sessions.at(-1) };
  }
  const preset = { name: 'Review', instructions: 'Only review.', limits: { edit: 'deny' as const } };
  const told = 'Be brief.\n\nOnly review.';

  it('go with the session, with those of its preset', async () => {
    const { asked, chat, session } = await begin(true);
    assert.deepEqual(asked, [told, { edit: 'deny' }]);
    assert.deepEqual(session?.prompts[0]?.attachments, []);
    assert.deepEqual(chat.view.preset, preset);
  });

  it('go with the first prompt to a backend that takes none, and are on its chip, also later', async () => {
    const { chat, session } = await begin(false);
    assert.deepEqual(session?.prompts[0]?.attachments, [{ type: 'text', title: 'Instructions', text: told }]);
    const attachments = [{ kind: 'text', title: 'Instructions', text: told }];
    const shown = () => [...chat.transcript.entries('prompt')].map((entry) => entry.attachments);
    assert.deepEqual(shown(), [attachments]);
    const [{ id = '' } = {}] = chat.transcript.entries('prompt');
    assert.deepEqual(
      (await chat.restores.restorePointBefore(id)).draft.attachments,
      [],
      'they are no part of the prompt',
    );
    session.end('Done');
    await until('the end of the turn', () => chat.view.isBusy === false);
    await chat.send(draft('Again'));
    assert.deepEqual(session.prompts[1]?.attachments, []);
    assert.deepEqual(shown(), [attachments, undefined]);
    session.end('Done');
    const { folder } = window;
    await window.close();
    window = await Window.open({ folder });
    const reopened = await window.chats.open(chat.id);
    assert.deepEqual(
      [...reopened.transcript.entries('prompt')].map((entry) => entry.attachments),
      [attachments, undefined],
    );
  });

  it('are read again later, except for those of the preset, which are stored', async () => {
    const { chat, session } = await begin(false);
    session?.end('Done');
    const { id } = chat;
    await window.chats.stop();
    presets.instructions.ofUser = '';
    const stored = window.store.heads.find((head) => head.id === id);
    assert.deepEqual(stored?.preset, preset);
    assert.equal(presets.instructionsFor(stored.preset), 'Only review.');
  });

  it('are not sent to an agent that cannot be held to the permissions of their preset', async () => {
    const preset = { name: 'Careful', instructions: 'Be brief.', limits: { run: 'deny' as const } };
    window.agent.holdsReadOnly = false;
    const chat = await window.chats.create('one', { preset });
    await assert.rejects(chat.send(draft('go')), { code: 'unsupported', message: /permissions of this preset/ });
    window.agent.holdsReadOnly = true;
    await chat.send(draft('go'));
    assert.deepEqual(window.agent.opened.at(-1)?.limits, { run: 'deny' });
  });
});
