import assert from 'node:assert/strict';
import type { BackendSession } from '../../../../../src/session/common/sessionBackend';
import type { Opened, Script } from './agent';
import { Reader, textOf } from './reader';

/** A session under test, with those who read it. */
export class Talk {
  readonly readers: Reader[];

  constructor(
    readonly opened: Opened,
    readonly session: BackendSession,
  ) {
    this.readers = [new Reader(session)];
  }

  get reader(): Reader {
    const [first] = this.readers;
    return first ?? assert.fail();
  }

  read(options: ConstructorParameters<typeof Reader>[1]): Reader {
    const reader = new Reader(this.session, options);
    this.readers.push(reader);
    return reader;
  }

  /** `prompt` is for an agent with a mind of its own, and makes it do the same. */
  async begin(prompt: string, script: Script): Promise<void> {
    this.opened.play?.(script);
    await this.session.sendPrompt({ text: prompt });
  }

  /** The same until the turn has ended. */
  async turn(prompt: string, script: Script, nth = 1) {
    await this.begin(prompt, script);
    return await this.reader.endOf(nth);
  }

  /** Answers the `nth` question by its first option of that kind. */
  async answer(kind: 'allow' | 'reject', nth = 1): Promise<void> {
    const { approval_id, options, option_kinds: kinds } = await this.reader.next('approval:required', nth);
    const word = kind === 'allow' ? /^Allow$/u : /^Deny$/u;
    const index = options.findIndex((option, at) => (kinds ? kinds[at] === `${kind}_once` : word.test(option)));
    await this.session.answerApproval(
      approval_id,
      options[index] ?? assert.fail(`no ${kind} among ${options.join(', ')}`),
    );
  }

  /** The turn has ended, once, by `prompt:complete`, and said what its blocks say. */
  async completed(nth = 1, said?: string): Promise<void> {
    const end = await this.reader.endOf(nth);
    assert.equal(end.event, 'prompt:complete', JSON.stringify(end.data));
    const events = this.reader.turn(nth);
    const ends = events.filter(({ event }) => event === 'prompt:complete' || event === 'error');
    assert.equal(ends.length, 1);
    if (said === undefined || !this.opened.play) assert.notEqual(textOf(events).trim(), '');
    else assert.equal(shown(textOf(events)), shown(said));
    assert.equal(this.session.turn, 'none');
  }
}

/** Without white space, which servers change. */
function shown(text: string): string {
  return text.replace(/\s+/gu, '');
}
