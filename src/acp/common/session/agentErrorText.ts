import * as z from 'zod';

interface AgentErrorParts {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const Data = z.union([
  z.string(),
  z
    .looseObject({
      details: z.string().optional().catch(undefined),
      message: z.string().optional().catch(undefined),
      error: z.string().optional().catch(undefined),
      stderr: z.string().optional().catch(undefined),
      reason: z.string().optional().catch(undefined),
    })
    .transform(({ details, error, message, reason, stderr }) => details ?? message ?? error ?? stderr ?? reason),
]);

/** Messages that only repeat the meaning of the error code. */
const empty =
  /^(internal error|server error|invalid (params|request)|authentication required|auth(entication)?_required|unknown error|error)\.?$/i;
const maxLength = 500;

const sentences: ReadonlyMap<number, string> = new Map([
  [-32700, 'could not read a message from Backline'],
  [-32600, 'rejected an invalid request'],
  [-32601, 'does not support this request'],
  [-32602, 'rejected invalid values in a request'],
  [-32603, 'reported an internal error without a reason. Its own log may have one'],
  [-32000, 'requires you to sign in'],
  [-32002, 'could not find the requested item'],
]);

/** Returns the reason in an agent's error, without words that only repeat its code. Undefined if it gives no reason. */
export function reasonOfAgentError({ data, message }: AgentErrorParts): string | undefined {
  const detail = Data.safeParse(data).data;
  const texts = [message, detail ?? ''].map((text) => text.trim()).filter((text) => text !== '' && !empty.test(text));
  // Many agents repeat the message in the data.
  const [first, second] = texts;
  if (first === undefined) return undefined;
  const whole =
    second === undefined || first.includes(second) ? first : second.includes(first) ? second : `${first}: ${second}`;
  return whole.length > maxLength ? `${whole.slice(0, maxLength - 1)}…` : whole;
}

/** Returns a sentence for the user about an agent's error, without its code. */
export function sentenceOfAgentError(title: string, error: AgentErrorParts): string {
  const reason = reasonOfAgentError(error);
  if (reason !== undefined) return `${title}: ${reason}`;
  const known = sentences.get(error.code) ?? 'reported an error without a reason';
  return `${title} ${known}.`;
}

const signInPattern =
  /\b401\b|unauthori[sz]ed|invalid (x-)?api[ -]?key|incorrect api key|api[ _-]?key[^.]{0,40}(missing|not (set|valid|found|configured)|invalid|expired)|authentication[_ ](failed|error|required)|invalid authentication|API_KEY_INVALID|not (logged|signed) in|please (log|sign) in\b|(invalid|expired) (access |oauth )?token/i;

/**
 * Whether the text of an error means that the user has to sign in or has a wrong key. Not all agents use an error code.
 */
export function isSignInError(error: AgentErrorParts): boolean {
  return signInPattern.test(reasonOfAgentError(error) ?? '');
}
