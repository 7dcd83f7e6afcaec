import { messageOf } from '../../../base/common/errors';
import { toPrompt, type Prompt, type PromptBlock } from '../answer/prompt';
import { TurnCancelled } from '../answer/turn';
import { addToHistory, countLastAnswerWords, countWords } from './history';
import type { DemoSession, DemoSessions } from './sessions';

/** Notifies a client of the start and end of a turn. */
interface TurnListener {
  answer(prompt: Prompt, signal: AbortSignal): Promise<void>;
  sendTitle(title: string): Promise<void>;
  sendUsage(usage: { readonly used: number; readonly size: number }): Promise<void>;
}

const contextWordLimit = 100_000;
const maxTitleLength = 60;

/** Runs the turns of the demo agent's sessions, and stores their histories. */
export class DemoTurns {
  private readonly runningTurns = new Set<Promise<unknown>>();

  constructor(
    private readonly sessions: DemoSessions,
    private readonly warn: (message: string) => void,
  ) {}

  /**
   * Runs a turn. Resolves to its stop reason. The session must not have a running turn.
   * @throws what `answer` throws
   */
  async run(
    session: DemoSession,
    blocks: readonly PromptBlock[],
    signal: AbortSignal,
    listener: TurnListener,
  ): Promise<'end_turn' | 'cancelled'> {
    const turn = this.runTurn(session, blocks, signal, listener);
    this.runningTurns.add(turn);
    try {
      return await turn;
    } finally {
      this.runningTurns.delete(turn);
    }
  }

  /** Adds a prompt to the turn that runs. Returns whether the turn will answer it. */
  steer(session: DemoSession, blocks: readonly PromptBlock[]): boolean {
    if (!session.addedPrompts || session.turn?.signal.aborted !== false) return false;
    const prompt = toPrompt(blocks);
    session.addedPrompts.push(prompt);
    addToHistory(session.history, { type: 'user', text: prompt.text });
    return true;
  }

  /** Resolves when all running turns have ended and are saved. */
  async whenTurnsEnd(): Promise<void> {
    await Promise.allSettled(this.runningTurns);
  }

  private async runTurn(
    session: DemoSession,
    blocks: readonly PromptBlock[],
    signal: AbortSignal,
    listener: TurnListener,
  ): Promise<'end_turn' | 'cancelled'> {
    const controller = new AbortController();
    session.turn = controller;
    const added: Prompt[] = (session.addedPrompts = []);
    const received = toPrompt(blocks);
    const prompt = promptToAnswer(received, session);
    session.cutOff = undefined;
    addToHistory(session.history, { type: 'user', text: received.text });
    try {
      if (session.title === undefined && received.text !== '') {
        session.title = received.text.split('\n', 1)[0]?.slice(0, maxTitleLength) ?? '';
        await listener.sendTitle(session.title);
      }
      const stopped = AbortSignal.any([controller.signal, signal]);
      for (let next: Prompt | undefined = prompt; next; next = added.shift()) await listener.answer(next, stopped);
      return 'end_turn';
    } catch (error) {
      if (!(error instanceof TurnCancelled)) throw error;
      const saidWords = (prompt.saidWordCount ?? 0) + countLastAnswerWords(session.history);
      session.cutOff = { text: prompt.text, saidWords };
      return 'cancelled';
    } finally {
      session.turn = undefined;
      session.addedPrompts = undefined;
      await this.finishTurn(session, listener);
    }
  }

  private async finishTurn(session: DemoSession, listener: TurnListener): Promise<void> {
    session.updatedAt = new Date().toISOString();
    try {
      // Saved first, because the client may have disconnected.
      if (this.sessions.get(session.id)) await this.sessions.save(session);
      await listener.sendUsage({ used: countWords(session.history), size: contextWordLimit });
    } catch (error) {
      this.warn(`The session could not be saved: ${messageOf(error)}`);
    }
  }
}

/** "Continue" repeats the prompt whose answer was interrupted. */
function promptToAnswer(received: Prompt, { cutOff }: DemoSession): Prompt {
  if (!cutOff || !/^(?:please )?(?:continue|go on)\b/i.test(received.text)) return received;
  return { ...received, text: cutOff.text, saidWordCount: cutOff.saidWords };
}
