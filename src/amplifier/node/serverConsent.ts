import { isLoopback } from '../../base/common/addresses/loopback';
import type { ConsentDecision, ConsentPort } from '../../consent/common/consentManager';
import type { ConsentSubject, ConsentSubjectSource } from '../../consent/common/consentSubject';
import { hashJson } from '../../consent/node/contentHash';
import { BackendError } from '../../session/common/sessionBackend';

interface ServerConsentDeps {
  readonly consent: ConsentPort;
  /** Where the workspace defines the server's address. Undefined if the user settings define the same address. */
  readonly sourceOf: (server: URL) => ConsentSubjectSource | undefined;
}

/**
 * The user's consent to contact a server that the workspace names, once for each origin. Servers of this machine need none,
 * because nothing leaves the machine.
 */
export class ServerConsent {
  constructor(private readonly deps: ServerConsentDeps) {}

  /** Returns the stored decision without asking the user. */
  decide(server: URL): ConsentDecision {
    const subject = this.subjectOf(server);
    return subject ? this.deps.consent.registerAndDecide(subject) : 'allowed';
  }

  /** Asks the user if needed. @throws BackendError `notReady` if not allowed */
  async require(server: URL): Promise<void> {
    const subject = this.subjectOf(server);
    const decision = subject ? await this.deps.consent.askIfUndecided(subject, 'user') : 'allowed';
    if (decision !== 'allowed') throw new BackendError('notReady', missingServerConsentMessage(server, decision));
  }

  /** Withdraws the pending request if the workspace no longer names a server that needs consent. */
  private subjectOf(server: URL): ConsentSubject | undefined {
    const { origin, protocol } = server;
    const source = isLoopback(server) ? undefined : this.deps.sourceOf(server);
    const hash = hashJson({ kind: 'serverAddress', origin });
    this.deps.consent.forgetMissing(['serverAddress'], (known) => source !== undefined && known.hash === hash);
    if (!source) return undefined;
    const warning = protocol === 'https:' ? {} : { warning: 'not encrypted' };
    return {
      kind: 'serverAddress',
      name: 'Amplifier',
      source,
      facts: [{ label: 'Connects to', value: origin, ...warning }],
      hash,
    };
  }
}

export function missingServerConsentMessage(server: URL, decision: Exclude<ConsentDecision, 'allowed'>): string {
  return decision === 'denied'
    ? `You have not allowed the server ${server.origin} of this workspace. Run "Backline: Review What This Workspace Runs" to change that.`
    : `The server ${server.origin} needs your permission because this workspace defines it. You will be asked when you use it.`;
}
