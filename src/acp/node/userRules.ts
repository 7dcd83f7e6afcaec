import type { Logger } from '../../base/common/log';
import type { Memento } from '../../base/common/memento';
import { PermissionRule } from '../common/permissionRules';
import { SessionGrants } from '../common/sessionGrants';
import type { RuleStore } from './permissionDesk';
import * as z from 'zod';

const memoryKey = 'acp.rules';
/** Every question looks at all of them. */
const maxRules = 1_000;

/**
 * What the user has decided once and for all. It is read anew each time: another window may have changed it. Rules of a
 * session are kept by the session, and only listed here.
 */
export class UserRules implements RuleStore {
  readonly sessionGrants = new SessionGrants();

  constructor(
    private readonly memento: Memento,
    private readonly log: Logger,
  ) {}

  get rules(): readonly PermissionRule[] {
    const kept = z.array(z.unknown()).safeParse(this.memento.get(memoryKey) ?? []);
    if (!kept.success) this.log.warn('The rules for agents cannot be read, so agents ask for everything.');
    return (kept.data ?? []).flatMap((rule) => {
      const parsed = PermissionRule.safeParse(rule);
      if (!parsed.success) this.log.warn(`A rule for agents cannot be read and is ignored: ${JSON.stringify(rule)}`);
      return parsed.success ? [parsed.data] : [];
    });
  }

  /** @throws Error when there are too many */
  async add(rule: PermissionRule): Promise<void> {
    const { rules } = this;
    if (rules.some((other) => isSame(other, rule))) return;
    if (rules.length >= maxRules) throw new Error(`There are ${maxRules} rules for agents already. Remove some.`);
    await this.memento.update(memoryKey, [...rules, rule]);
  }

  async remove(rule: PermissionRule): Promise<void> {
    await this.memento.update(
      memoryKey,
      this.rules.filter((other) => !isSame(other, rule)),
    );
  }
}

function isSame(a: PermissionRule, b: PermissionRule): boolean {
  return JSON.stringify(PermissionRule.parse(a)) === JSON.stringify(PermissionRule.parse(b));
}
