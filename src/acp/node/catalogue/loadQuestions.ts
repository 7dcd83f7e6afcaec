import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import * as z from 'zod';
import { rejectOnAbort } from '../../../session/common/rejectOnAbort';
import { BackendError } from '../../../session/common/sessionBackend';
import { parseJsonc } from '../../common/catalogue/jsonc';

export type LoadAnswer = 'load' | 'summary' | undefined;

interface LoadQuestionsDeps {
  readonly ask: (agentTitle: string, signal: AbortSignal | undefined) => Promise<LoadAnswer>;
}

interface SessionToLoad {
  readonly agentId: string;
  readonly agentTitle: string;
  readonly sessionId: string;
  /** Absolute path of the session's folder. */
  readonly cwd: string;
  /** The agent's environment. */
  readonly env: Readonly<Record<string, string>>;
}

const Settings = z.looseObject({
  general: z
    .looseObject({ sessionRetention: z.looseObject({ enabled: z.boolean().optional() }).optional() })
    .optional(),
});

/**
 * Asks before a session is loaded in Gemini. It writes an empty file with the same id, and its next start in that folder
 * removes both, unless it is set to keep all sessions.
 */
export class LoadQuestions {
  private readonly answerByKey = new Map<string, boolean>();
  private readonly openByKey = new Map<string, OpenQuestion>();

  constructor(private readonly deps: LoadQuestionsDeps) {}

  /** Whether to load the session. @throws BackendError `cancelled` if the user closes the question */
  async mayLoad(session: SessionToLoad, signal: AbortSignal | undefined): Promise<boolean> {
    const { agentId, agentTitle, cwd, env, sessionId } = session;
    if (await keepsAllSessions(env, cwd)) return true;
    const key = JSON.stringify([agentId, cwd, sessionId]);
    const known = this.answerByKey.get(key);
    if (known !== undefined) return known;
    const answer = await this.ask(key, agentTitle, signal);
    if (answer === undefined) throw new BackendError('cancelled', 'Canceled.');
    this.answerByKey.set(key, answer === 'load');
    return answer === 'load';
  }

  /** All who ask about the same session at the same time share one question. It closes when nobody waits for it any more. */
  private async ask(key: string, agentTitle: string, signal: AbortSignal | undefined): Promise<LoadAnswer> {
    const question = this.openByKey.get(key) ?? this.openQuestion(key, agentTitle);
    question.askerCount++;
    try {
      return await rejectOnAbort(question.answer, signal);
    } finally {
      if (--question.askerCount === 0) question.close();
    }
  }

  private openQuestion(key: string, agentTitle: string): OpenQuestion {
    const controller = new AbortController();
    const close = (): void => {
      this.openByKey.delete(key);
      controller.abort();
    };
    const question = { answer: this.deps.ask(agentTitle, controller.signal), askerCount: 0, close };
    this.openByKey.set(key, question);
    return question;
  }
}

interface OpenQuestion {
  readonly answer: Promise<LoadAnswer>;
  askerCount: number;
  readonly close: () => void;
}

/**
 * The user's settings decide. Those of the folder can only turn the removal on: they may come from anybody, and Gemini
 * ignores them unless it trusts the folder.
 */
async function keepsAllSessions(env: Readonly<Record<string, string>>, cwd: string): Promise<boolean> {
  const home = env['GEMINI_CLI_HOME'] ?? env['HOME'] ?? homedir();
  const [ofFolder, ofUser] = await Promise.all(
    [cwd, home].map((folder) => retentionSetting(path.join(folder, '.gemini', 'settings.json'))),
  );
  return ofUser === false && ofFolder !== true;
}

async function retentionSetting(file: string): Promise<boolean | undefined> {
  try {
    return Settings.parse(parseJsonc(await readFile(file, 'utf8'))).general?.sessionRetention?.enabled;
  } catch {
    return undefined;
  }
}
