/** When a limit ends: in milliseconds since the epoch, or else in the agent's words, such as `3pm (Europe/Berlin)`. */
interface Reset {
  readonly resetsAt?: number;
  readonly resetWords?: string;
}

/** Why a turn has failed, as far as it is known. */
type TurnFailure =
  /** The service of the model has too much to do. */
  | { readonly kind: 'overloaded'; readonly status?: number | undefined }
  /** Too many requests in a short time. */
  | ({ readonly kind: 'rateLimit' } & Reset)
  /** What the user has paid for, or gets for free, is used up. */
  | ({ readonly kind: 'usageLimit' } & Reset)
  /** The conversation is longer than the model can read. */
  | { readonly kind: 'contextFull' }
  | { readonly kind: 'signIn' }
  | { readonly kind: 'network'; readonly problem: 'unreachable' | 'timeout' | 'certificate' | 'proxy' }
  /** The agent's process has ended. `how`: its exit code or signal. `isSilent`: it may run, but does not answer Backline. */
  | { readonly kind: 'crash'; readonly how?: string | undefined; readonly isSilent?: boolean }
  /** The service of the model has failed. */
  | { readonly kind: 'service'; readonly status?: number | undefined }
  | { readonly kind: 'other' };

interface ReportedError {
  /** The message, in words of the agent, of its server or of Backline. */
  readonly text: string;
  /** A code of Backline's backends or of the peer. */
  readonly code?: string | undefined;
  readonly details?: string | undefined;
  /** When it was reported, in milliseconds since the epoch. */
  readonly at?: number | undefined;
}

/** What is read of a text, in UTF-16 units: reports contain whole pages and stacks. */
const maxReadUnits = 8 * 1024;

const failureByCode = new Map<string, TurnFailure>([
  ['authRequired', { kind: 'signIn' }],
  ['MISSING_CREDENTIALS', { kind: 'signIn' }],
  ['INVALID_API_KEY', { kind: 'signIn' }],
  ['API_KEY_UNAUTHORIZED', { kind: 'signIn' }],
  ['timeout', { kind: 'crash', isSilent: true }],
  ['PROVIDER_UNAVAILABLE', { kind: 'overloaded' }],
  ['PROVIDER_ERROR', { kind: 'service' }],
]);

const crashPattern =
  /ended unexpectedly \(([^)\n]{1,40})\)|process exited with (?:exit )?(code:? \d{1,10})|ended unexpectedly several times|server shut down unexpectedly|(?:killed|terminated) by (?:the )?signal (SIG[A-Z0-9]{2,10})/iu;
const contextPattern =
  /prompt is too long|input is too long|maximum context length|context[_ ]length[_ ]exceeded|context[_ ]?window (?:is )?(?:full|exceed)|(?:exceeds?|exceeded|ran out of|out of room in) (?:the )?(?:model[’']?s? )?(?:maximum )?context|ContextOverflow|input token count[^.\n]{0,60}exceeds|too many (?:input )?tokens[^.\n]{0,60}\b(?:context|model|maximum)|\b(?:context|model|maximum)[^.\n]{0,60}too many (?:input )?tokens/iu;
/** Too much in a short time: such reports speak of tokens, too, but the conversation is not too long. */
const throttledPattern = /throttl(?:ed|ing)|please wait (?:a|and|before)\b/iu;
const usagePattern =
  /usage[_ ]limit|hit your (?:[\w-]{1,20} )?limit|(?:session|weekly|daily|monthly|5-hour|opus|sonnet) limit reached|quota_exceeded|insufficient_quota|have no quota|exceeded your (?:current|monthly|daily) quota|(?:exhausted|reached) your (?:daily|monthly|weekly)[^.\n]{0,40}(?:quota|limit)|quota limit reached|PerDay|per day per user|too many tokens per day|credit balance is too low|out of (?:extra )?(?:usage|credits)|(?:premium request|usage) allowance|usage is required/iu;
const overloadedPattern = /overloaded|at capacity|high (?:demand|load)|status\W{1,6}UNAVAILABLE/iu;
const ratePattern = /rate[_ -]?limit|RESOURCE_EXHAUSTED|resource (?:has been )?exhausted|too many requests/iu;
const signInPattern =
  /(?<!proxy )authentication[_ ](?:failed|error|required)|unauthori[sz]ed|invalid (?:x-)?(?:api|bearer)[ -]?(?:key|token)|incorrect api key|API_KEY_INVALID|ProviderAuthError|not (?:logged|signed) in|please (?:log|sign) in\b|please run \/login|(?:invalid|expired) (?:access |oauth |authentication )?token|token (?:is|has) expired/iu;
const certificatePattern =
  /UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)|SELF_SIGNED_CERT|CERT_HAS_EXPIRED|CERT_UNTRUSTED|self[- ]signed certificate|local issuer certificate|ERR_TLS_CERT|certificate (?:verify failed|has expired)/iu;
const proxyPattern =
  /(?:proxy|tunnel)[^\n]{0,60}\b407\b|proxy (?:authentication|connection|could not|requires)|socket connection to proxies|tunneling socket/iu;
const timeoutPattern =
  /ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|(?:request|connection|connect|socket) timed? ?out/iu;
const unreachablePattern =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|EPIPE|UND_ERR_SOCKET|ConnectionRefused|connection (?:error|refused|reset)|fetch failed|unable to connect|error sending request|network error|dns error|socket hang up|stream disconnected before completion/iu;
const servicePattern =
  /internal server error|bad gateway|service unavailable|gateway time-?out|"type\W{1,6}api_error/iu;

/** Backline's own sentence about an agent that it can't connect to. It says more than a kind. */
const unreachableAgentPattern = /^[^\n]{1,200} is unavailable\. /u;

/** An HTTP status that is named as one: a number in a path or a count is none. */
const statusPattern =
  /\b(?:HTTP|status(?: ?code)?|error|code|failed)\W{0,6}(\d{3})\b|\b(\d{3}) (?:\{|Too Many|Overloaded|Bad Gateway|Internal Server|Service Unavailable|Unauthorized)/giu;

/** Returns what the report of an error means. Pure; reads only the beginning of long texts. */
export function classifyFailure(report: ReportedError): TurnFailure {
  const { at, code = '' } = report;
  const all = [report.text, report.details ?? ''].map((text) => text.slice(0, maxReadUnits)).join('\n');
  const crash = crashPattern.exec(all);
  if (crash) return { kind: 'crash', how: howOf(crash[1] ?? crash[2] ?? crash[3]) };
  const statuses = new Set([...all.matchAll(statusPattern)].map((found) => Number(found[1] ?? found[2])));
  const isThrottled = throttledPattern.test(all) || statuses.has(429);
  if (!isThrottled && contextPattern.test(all)) return { kind: 'contextFull' };
  if (usagePattern.test(all) || statuses.has(402)) return { kind: 'usageLimit', ...resetIn(all, at) };
  const known = failureByCode.get(code);
  if (known) return known;
  if (signInPattern.test(all) || statuses.has(401)) return { kind: 'signIn' };
  if (isThrottled || ratePattern.test(all) || code === 'RATE_LIMITED') {
    return { kind: 'rateLimit', ...resetIn(all, at) };
  }
  const busy = [529, 503].find((status) => statuses.has(status));
  if (overloadedPattern.test(all) || busy !== undefined) return { kind: 'overloaded', status: busy };
  if (unreachableAgentPattern.test(report.text)) return { kind: 'other' };
  if (certificatePattern.test(all)) return { kind: 'network', problem: 'certificate' };
  if (proxyPattern.test(all) || statuses.has(407)) return { kind: 'network', problem: 'proxy' };
  if (timeoutPattern.test(all)) return { kind: 'network', problem: 'timeout' };
  const broken = [500, 502, 504].find((status) => statuses.has(status));
  if (servicePattern.test(all) || broken !== undefined) return { kind: 'service', status: broken };
  return unreachablePattern.test(all) ? { kind: 'network', problem: 'unreachable' } : { kind: 'other' };
}

/** Returns a sentence about a failure. Undefined if only the agent's own words tell what it was. */
export function describeFailure(failure: TurnFailure, agent: string): string | undefined {
  switch (failure.kind) {
    case 'overloaded':
      return `${agent} is overloaded${numbered(failure.status)}.`;
    case 'rateLimit':
      return `${agent} has sent too many requests.${resetSentence(failure)}`;
    case 'usageLimit':
      return `The usage limit of ${agent} is reached.${resetSentence(failure)}`;
    case 'contextFull':
      return 'This conversation is too long for the model.';
    case 'signIn':
      return `${agent} requires you to sign in.`;
    case 'network':
      return `${agent} ${networkWords[failure.problem]}`;
    case 'crash':
      if (failure.isSilent === true) return `${agent} did not answer in time.`;
      return `${agent} stopped${failure.how === undefined ? ' unexpectedly' : ` (${failure.how})`}.`;
    case 'service':
      return `The model service of ${agent} failed${numbered(failure.status)}.`;
    case 'other':
      return undefined;
  }
}

const networkWords = {
  unreachable: 'can’t reach its service. Check the network and the proxy.',
  timeout: 'got no answer in time.',
  certificate: 'does not trust the certificate of its service. A proxy may have replaced it.',
  proxy: 'can’t use the proxy. Check its address and sign-in.',
} as const;

function numbered(status: number | undefined): string {
  return status === undefined ? '' : ` (${status})`;
}

/** A reset at a known time is shown by the page, in the user's time zone. */
function resetSentence({ resetWords }: Reset): string {
  return resetWords === undefined ? '' : ` It resets ${/^\d/u.test(resetWords) ? 'at' : 'on'} ${resetWords}.`;
}

function howOf(words: string | undefined): string | undefined {
  const how = words?.replace(/^code:? /iu, 'exit code ');
  return how !== undefined && /^(?:exit code \d{1,10}|SIG[A-Z0-9]{2,10})$/u.test(how) ? how : undefined;
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
const epochPattern = /(?:limit reached\||resets_?at\W{1,5})(\d{10})(?:\d{3})?\b/iu;
const secondsPattern = /(?:resets_in_seconds|retry[-_ ]?after|retryDelay)\W{1,5}(\d{1,8}(?:\.\d{1,9})?)(?![\d.])/iu;
const durationPattern =
  /(?:try again|retry|resets?|reset) (?:in|after) ((?:\d{1,5}(?:\.\d{1,9})? ?(?:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|[dhms])(?![a-z])[ ,]{0,2}){1,4})/iu;
const clockPattern =
  /(?:resets?|try again)(?: at| after| on)? ((?:[A-Z][a-z]{2,8} \d{1,2}(?:st|nd|rd|th)?(?:, \d{4})?,?(?: at)? )?\d{1,2}(?::\d{2}(?: ?[ap]m)?| ?[ap]m)(?: \([A-Za-z_/+\-0-9]{2,40}\)| GMT(?:[+-]\d{1,2})?| UTC)?)/iu;

function resetIn(text: string, at: number | undefined): Reset {
  const epoch = epochPattern.exec(text)?.[1];
  if (epoch !== undefined) return { resetsAt: Number(epoch) * 1000 };
  const clock = clockPattern.exec(text)?.[1];
  if (clock !== undefined) return { resetWords: clock };
  if (at === undefined) return {};
  const seconds = secondsPattern.exec(text)?.[1];
  if (seconds !== undefined) return { resetsAt: at + Math.ceil(Number(seconds)) * 1000 };
  const duration = durationPattern.exec(text)?.[1];
  if (duration === undefined) return {};
  let ms = 0;
  for (const [, amount, unit = ''] of duration.matchAll(/(\d+(?:\.\d+)?) ?([dhms])/giu)) {
    ms += Number(amount) * (unitMs[unit.toLowerCase()] ?? 0);
  }
  return { resetsAt: at + Math.ceil(ms) };
}
