import * as z from 'zod';
import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { Memento } from '../../../base/common/memento';
import { PermissionRule, ruleKey } from './permissionRules';

/** A rule of scope `always`. Times are in milliseconds since the epoch; those of rules from before they were kept are absent. */
export interface KeptRule {
  readonly rule: PermissionRule;
  readonly createdAt?: number;
  readonly lastUsedAt?: number;
  /** How many questions it has answered. */
  readonly useCount: number;
}

const memoryKey = 'permissions.rules';
/** Where rules were kept that knew nothing of `env` and `input`. */
const olderKey = 'acp.rules';
/** Every question looks at all of them. */
const maxRules = 1_000;
/** What was used meanwhile is written together. */
const useDelayMs = 30_000;

const Time = z.number().optional().catch(undefined);
const Entry = z.object({
  rule: PermissionRule,
  createdAt: Time,
  lastUsedAt: Time,
  useCount: z.number().int().nonnegative().catch(0),
});

interface Uses {
  count: number;
  lastAt: number;
}

/** What the user has decided once and for all. It is read anew each time: another window may have changed it. */
export class UserRules implements Disposable {
  private readonly changes = new Emitter<void>((error) => this.log.error('A listener of the rules failed', error));
  /** Of changes in this window. */
  readonly onDidChange = this.changes.event;
  private readonly uses = new Map<string, Uses>();
  private timer: Disposable | undefined;
  private read: { readonly from: readonly unknown[]; readonly entries: readonly KeptRule[] } | undefined;

  constructor(
    private readonly memento: Memento,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  get rules(): readonly PermissionRule[] {
    return this.stored().map(({ rule }) => rule);
  }

  /** The same with what is known of each, what was not written yet included. */
  get kept(): readonly KeptRule[] {
    return this.stored().map((entry) => withUses(entry, this.uses));
  }

  /** One that is there already is no error. @throws Error when there are too many */
  async add(rule: PermissionRule): Promise<void> {
    const { kept } = this;
    const key = ruleKey(rule);
    if (kept.some((entry) => ruleKey(entry.rule) === key)) return;
    if (kept.length >= maxRules)
      throw new Error(`There are ${maxRules} rules for agents already. Remove some (Backline: Permissions).`);
    await this.write([...kept, { rule, createdAt: this.clock.now(), useCount: 0 }]);
  }

  /** One that is gone already is no error. */
  async remove(rule: PermissionRule): Promise<void> {
    const key = ruleKey(rule);
    await this.write(this.kept.filter((entry) => ruleKey(entry.rule) !== key));
  }

  /** A rule has answered a question. Written with others after a while. */
  noteUse(rule: PermissionRule): void {
    const key = ruleKey(rule);
    const { count = 0 } = this.uses.get(key) ?? {};
    this.uses.set(key, { count: count + 1, lastAt: this.clock.now() });
    this.timer ??= this.clock.setTimer(useDelayMs, () => void this.flush());
  }

  /** Writes what was used since the last time. A rule that is gone meanwhile stays gone. Never rejects. */
  async flush(): Promise<void> {
    this.timer?.dispose();
    this.timer = undefined;
    if (this.uses.size === 0) return;
    const isUsed = this.stored().some(({ rule }) => this.uses.has(ruleKey(rule)));
    try {
      if (isUsed) await this.write(this.kept);
      else this.uses.clear();
    } catch (error) {
      this.log.error('Could not keep how often rules were used', error);
    }
  }

  /** What was not written yet is lost: `flush` first. */
  dispose(): void {
    this.timer?.dispose();
    this.changes.dispose();
  }

  private async write(entries: readonly KeptRule[]): Promise<void> {
    this.uses.clear();
    const hasOlder = this.memento.get(olderKey) !== undefined;
    const written = [this.memento.update(memoryKey, entries)];
    if (hasOlder) written.push(this.memento.update(olderKey, undefined));
    await Promise.all(written);
    this.changes.fire();
  }

  private stored(): readonly KeptRule[] {
    const from = [this.memento.get(memoryKey), this.memento.get(olderKey)];
    if (!this.read || from.some((value, index) => value !== this.read?.from[index])) {
      this.read = { from, entries: this.parse(from) };
    }
    return this.read.entries;
  }

  private parse([entries, older]: readonly unknown[]): readonly KeptRule[] {
    const all = [...this.list(entries), ...this.list(older).map((rule) => ({ rule }))];
    const byKey = new Map<string, KeptRule>();
    for (const [index, value] of all.entries()) {
      const entry = Entry.safeParse(value).data;
      if (!entry) {
        this.log.warn(`Rule ${index + 1} for agents cannot be read and is ignored.`);
        continue;
      }
      const key = ruleKey(entry.rule);
      if (!byKey.has(key)) byKey.set(key, keptRule(entry));
    }
    return [...byKey.values()];
  }

  private list(value: unknown): readonly unknown[] {
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    this.log.warn('The rules for agents cannot be read, so agents ask for everything.');
    return [];
  }
}

function keptRule({ rule, createdAt, lastUsedAt, useCount }: z.infer<typeof Entry>): KeptRule {
  return {
    rule,
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
    useCount,
  };
}

function withUses(entry: KeptRule, uses: ReadonlyMap<string, Uses>): KeptRule {
  const used = uses.get(ruleKey(entry.rule));
  return used ? { ...entry, lastUsedAt: used.lastAt, useCount: entry.useCount + used.count } : entry;
}
