import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { PresetOfConversation } from '../../../../src/chat/common/chatView';
import { draft, Window } from '../support/window';

const preset: PresetOfConversation = {
  name: 'Review',
  instructions: 'Be short.',
  limits: { edit: 'deny', run: 'ask' },
};
const strictness: readonly (string | undefined)[] = [undefined, 'ask', 'deny'];

describe('What an agent may do in a conversation that began with a preset', () => {
  let window: Window;
  let id: string;
  beforeEach(async () => {
    window = await Window.open();
    const chat = await window.chats.create('one', { preset });
    ({ id } = chat);
    await chat.send(draft('Go'));
    await reopen(() => Promise.resolve());
  });
  afterEach(() => window.remove());

  const head = () => path.join(window.folder, 'heads', `${id}.json`);
  const log = () => path.join(window.folder, id, 'log.jsonl');
  const changeText = async (file: string, change: (text: string) => string): Promise<void> =>
    writeFile(file, change(await readFile(file, 'utf8')));

  /** Damages what is stored while no window has it. */
  async function reopen(damage: () => Promise<unknown>): Promise<void> {
    const { folder, memento } = window;
    await window.close();
    await damage();
    window = await Window.open({ folder, memento });
  }

  it('is known again from the log, with the instructions', async () => {
    await reopen(() => rm(head()));
    assert.deepEqual((await window.chats.open(id)).view.preset, preset);
  });

  const damages: [what: string, damage: () => Promise<unknown>][] = [
    ['head is lost', () => rm(head())],
    ['head is no JSON', () => writeFile(head(), '{"version":3')],
    [
      'head has another kind of preset',
      () => changeText(head(), (text) => text.replace('"preset":{', '"preset":5,"x":{')),
    ],
    ['head has an unknown limit', () => changeText(head(), (text) => text.replace('"edit":"deny"', '"edit":"maybe"'))],
    [
      'head is lost, and the log has another kind of preset',
      () => Promise.all([rm(head()), changeText(log(), (text) => text.replace('"preset":{', '"preset":5,"x":{'))]),
    ],
    [
      'head is lost, with the beginning of the log',
      () => Promise.all([rm(head()), changeText(log(), (text) => text.slice(text.indexOf('\n') + 1))]),
    ],
    [
      'head is lost, and the beginning of the log is damaged',
      () => Promise.all([rm(head()), changeText(log(), (text) => text.replace('"begin"', '"bg'))]),
    ],
  ];
  for (const [what, damage] of damages) {
    it(`never becomes more when its ${what}`, async () => {
      await reopen(damage);
      const { limits = {} } = (await window.chats.open(id)).view.preset ?? {};
      const now = new Map<string, string | undefined>(Object.entries(limits));
      for (const [kind, limit] of Object.entries(preset.limits ?? {})) {
        const isAsStrict = strictness.indexOf(now.get(kind)) >= strictness.indexOf(limit);
        assert.ok(isAsStrict, `${kind}: ${now.get(kind) ?? 'as the policy says'}`);
      }
    });
  }

  it('is not limited in a conversation without a preset', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    ({ id } = chat);
    await reopen(() => rm(head()));
    assert.equal((await window.chats.open(id)).view.preset, undefined);
  });
});
