import * as z from 'zod';
import type { Memento } from '../../../base/common/memento';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { InstalledAgent, InstallPlan } from '../install/agentInstall';
import { InstallTerms, termChanges, type RecordedTerms, type TermChange } from './installTerms';

/** What older versions of Backline recorded: less than what decides which program runs. */
const OlderAgreed = z.object({ kind: z.string(), host: z.string(), license: z.string().optional() });
const AgreedById = z.record(z.string(), z.union([InstallTerms, OlderAgreed])).catch({});
type Agreed = z.infer<typeof AgreedById>[string];

const memoryName = 'agents.agreed';

type InstalledTerms = Pick<InstalledAgent, 'terms'>;

/**
 * The terms to which the user has agreed. Backline does not ask again for an update with the same terms. It asks again
 * for an agent that was removed.
 */
export class InstallConsents {
  constructor(private readonly memento: Memento) {}

  /**
   * Returns what differs from what the user has agreed to: an empty list if nothing does, undefined if the user has not
   * agreed to anything yet. `installed` completes what older versions of Backline did not record.
   */
  changesOf({ id, terms }: InstallPlan, installed: InstalledTerms | undefined): readonly TermChange[] | undefined {
    const agreed = this.read()[id];
    const before = agreed ? completed(agreed, installed) : undefined;
    return before && termChanges(before, terms);
  }

  async remember({ id, terms }: InstallPlan): Promise<void> {
    await this.memento.update(memoryName, { ...this.read(), [id]: terms });
  }

  async forget(id: string): Promise<void> {
    const others = Object.entries(this.read()).filter(([other]) => other !== id);
    await this.memento.update(memoryName, Object.fromEntries(others));
  }

  private read(): Readonly<Record<string, Agreed>> {
    return AgreedById.parse(this.memento.get(memoryName) ?? {});
  }
}

/** An older agreement counts only for exactly what is installed. */
function completed(agreed: Agreed, installed: InstalledTerms | undefined): RecordedTerms | undefined {
  if ('source' in agreed) return agreed;
  if (installed?.terms.kind !== agreed.kind || installed.terms.host !== undefined) return undefined;
  return { ...installed.terms, host: agreed.host, ...withoutUndefined({ license: agreed.license }) };
}
