import * as z from 'zod';
import type { Memento } from '../../../base/common/memento';
import type { InstallPlan } from './agentInstall';

const Agreed = z.object({ kind: z.string(), host: z.string(), license: z.string().optional() });
type Agreed = z.infer<typeof Agreed>;
const AgreedById = z.record(z.string(), Agreed).catch({});

const memoryName = 'agents.agreed';

/**
 * The origins and licenses to which the user has agreed. Backline does not ask again for an update with the same origin
 * and license. It asks again for an agent that was removed.
 */
export class InstallConsents {
  constructor(private readonly memento: Memento) {}

  covers(plan: InstallPlan): boolean {
    const agreed = this.read()[plan.id];
    const wanted = agreedFor(plan);
    return agreed?.kind === wanted.kind && agreed.host === wanted.host && agreed.license === wanted.license;
  }

  async remember(plan: InstallPlan): Promise<void> {
    await this.memento.update(memoryName, { ...this.read(), [plan.id]: agreedFor(plan) });
  }

  async forget(id: string): Promise<void> {
    const others = Object.entries(this.read()).filter(([other]) => other !== id);
    await this.memento.update(memoryName, Object.fromEntries(others));
  }

  private read(): Readonly<Record<string, Agreed>> {
    return AgreedById.parse(this.memento.get(memoryName) ?? {});
  }
}

function agreedFor({ address, kind, license }: InstallPlan): Agreed {
  const host = URL.canParse(address) ? new URL(address).origin : address;
  return { kind, host, ...(license === undefined ? {} : { license }) };
}
