import * as z from 'zod';
import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { Memento } from '../../../base/common/memento';
import { PermissionRule, ruleKey } from './permissionRules';

/** A rule with scope `always`. Times are in milliseconds since the epoch and absent for rules from older versions. */
export interface StoredRule {
  readonly rule: PermissionRule;
  readonly createdAt?: number;
  readonly lastUsedAt?: number;
  /** Number of requests that the rule has answered. */
  readonly useCount: number;
}

const storageKey = 'permissions.rules';
/** Storage key of older versions, whose rules had no `env` and `input`. */
const oldStorageKey = 'acp.rules';
/** Maximum number of rules, because each request is compared with all of them. */
const maxRules = 1_000;
/** How long usage counts are collected before they are stored. */
const flushDelayMs = 30_000;

const Time = z.number().optional().catch(undefined);
const Entry = z.object({
  rule: PermissionRule,
  createdAt: Time,
  lastUsedAt: Time,
  useCount: z.number().int().nonnegative().catch(0),
});

interface RuleUse {
  count: number;
  lastAt: number;
}

/** Stores the user's rules with scope `always`. Reads them each time, because other windows can change them. */
export class UserRules implements Disposable {
  private readonly changeEmitter = new Emitter<void>((error) =>
    this.log.error('a listener of the rules failed', error),
  );
  /** Fires after changes in this window, but not after changes in other windows. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly pendingUses = new Map<string, RuleUse>();
  private flushTimer: Disposable | undefined;
  private cachedRules: { readonly from: readonly unknown[]; readonly entries: readonly StoredRule[] } | undefined;

  constructor(
    private readonly memento: Memento,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  get rules(): readonly PermissionRule[] {
    return this.readStored().map(({ rule }) => rule);
  }

  /** The rules with creation dates and usage, including usage that is not stored yet. */
  get rulesWithUsage(): readonly StoredRule[] {
    return this.readStored().map((entry) => withUses(entry, this.pendingUses));
  }

  /** Adds a rule unless an equal one exists. @throws Error if there are too many rules */
  async add(rule: PermissionRule): Promise<void> {
    const { rulesWithUsage } = this;
    const key = ruleKey(rule);
    if (rulesWithUsage.some((entry) => ruleKey(entry.rule) === key)) return;
    if (rulesWithUsage.length >= maxRules) {
      throw new Error(`The limit of ${maxRules} rules is reached. Remove some in “Backline: Manage Permissions”.`);
    }
    await this.writeRules([...rulesWithUsage, { rule, createdAt: this.clock.now(), useCount: 0 }]);
  }

  /** Removes a rule. Does nothing if there is no such rule. */
  async remove(rule: PermissionRule): Promise<void> {
    const key = ruleKey(rule);
    await this.writeRules(this.rulesWithUsage.filter((entry) => ruleKey(entry.rule) !== key));
  }

  /** Records that a rule answered a request. Stored after a delay. */
  recordUse(rule: PermissionRule): void {
    const key = ruleKey(rule);
    const { count = 0 } = this.pendingUses.get(key) ?? {};
    this.pendingUses.set(key, { count: count + 1, lastAt: this.clock.now() });
    this.flushTimer ??= this.clock.setTimer(flushDelayMs, () => void this.flush());
  }

  /** Stores the collected usage counts. Rules that were removed in the meantime stay removed. Never rejects. */
  async flush(): Promise<void> {
    this.flushTimer?.dispose();
    this.flushTimer = undefined;
    if (this.pendingUses.size === 0) return;
    const isUsed = this.readStored().some(({ rule }) => this.pendingUses.has(ruleKey(rule)));
    try {
      if (isUsed) await this.writeRules(this.rulesWithUsage);
      else this.pendingUses.clear();
    } catch (error) {
      this.log.error('could not store the usage of rules', error);
    }
  }

  /** Discards usage counts that are not stored yet, so call `flush` first. */
  dispose(): void {
    this.flushTimer?.dispose();
    this.changeEmitter.dispose();
  }

  private async writeRules(entries: readonly StoredRule[]): Promise<void> {
    this.pendingUses.clear();
    const hasOlder = this.memento.get(oldStorageKey) !== undefined;
    const written = [this.memento.update(storageKey, entries)];
    if (hasOlder) written.push(this.memento.update(oldStorageKey, undefined));
    await Promise.all(written);
    this.changeEmitter.fire();
  }

  private readStored(): readonly StoredRule[] {
    const from = [this.memento.get(storageKey), this.memento.get(oldStorageKey)];
    if (!this.cachedRules || from.some((value, index) => value !== this.cachedRules?.from[index])) {
      this.cachedRules = { from, entries: this.parseRules(from) };
    }
    return this.cachedRules.entries;
  }

  private parseRules([entries, older]: readonly unknown[]): readonly StoredRule[] {
    const all = [...this.parseList(entries), ...this.parseList(older).map((rule) => ({ rule }))];
    const byKey = new Map<string, StoredRule>();
    for (const [index, value] of all.entries()) {
      const entry = Entry.safeParse(value).data;
      if (!entry) {
        this.log.warn(`Rule ${index + 1} for agents is invalid and ignored.`);
        continue;
      }
      const key = ruleKey(entry.rule);
      if (!byKey.has(key)) byKey.set(key, toStoredRule(entry));
    }
    return [...byKey.values()];
  }

  private parseList(value: unknown): readonly unknown[] {
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    this.log.warn('The stored rules for agents are invalid and ignored.');
    return [];
  }
}

function toStoredRule({ rule, createdAt, lastUsedAt, useCount }: z.infer<typeof Entry>): StoredRule {
  return {
    rule,
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
    useCount,
  };
}

function withUses(entry: StoredRule, uses: ReadonlyMap<string, RuleUse>): StoredRule {
  const used = uses.get(ruleKey(entry.rule));
  return used ? { ...entry, lastUsedAt: used.lastAt, useCount: entry.useCount + used.count } : entry;
}
