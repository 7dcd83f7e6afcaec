import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import * as z from 'zod';
import { BackendError } from '../../../session/common/sessionBackend';
import { parseJsonc } from '../../common/catalogue/jsonc';

export type LoadAnswer = 'load' | 'summary' | undefined;

interface LoadQuestionsDeps {
  readonly ask: (agentTitle: string, signal: AbortSignal | undefined) => Promise<LoadAnswer>;
}

interface SessionToLoad {
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
  private readonly answerBySession = new Map<string, boolean>();

  constructor(private readonly deps: LoadQuestionsDeps) {}

  /** Whether to load the session. @throws BackendError `cancelled` if the user closes the question */
  async mayLoad({ agentTitle, cwd, env, sessionId }: SessionToLoad, signal: AbortSignal | undefined): Promise<boolean> {
    if (await keepsAllSessions(env, cwd)) return true;
    const known = this.answerBySession.get(sessionId);
    if (known !== undefined) return known;
    const answer = await this.deps.ask(agentTitle, signal);
    if (answer === undefined) throw new BackendError('cancelled', 'Canceled.');
    this.answerBySession.set(sessionId, answer === 'load');
    return answer === 'load';
  }
}

/** The settings of the folder come before the user's. */
async function keepsAllSessions(env: Readonly<Record<string, string>>, cwd: string): Promise<boolean> {
  const home = env['GEMINI_CLI_HOME'] ?? env['HOME'] ?? homedir();
  for (const folder of [cwd, home]) {
    const isEnabled = await retentionSetting(path.join(folder, '.gemini', 'settings.json'));
    if (isEnabled !== undefined) return !isEnabled;
  }
  return false;
}

async function retentionSetting(file: string): Promise<boolean | undefined> {
  try {
    return Settings.parse(parseJsonc(await readFile(file, 'utf8'))).general?.sessionRetention?.enabled;
  } catch {
    return undefined;
  }
}
