import { nullLogger } from '../../src/base/common/log';
import type { Memento } from '../../src/base/common/memento';
import type { PermissionRule } from '../../src/permissions/common/rules/permissionRules';
import { combineUserAndWorkspacePolicies, type PermissionPolicy } from '../../src/permissions/common/policy/policy';
import { StandingPermissions } from '../../src/permissions/common/standingPermissions';
import { UserRules } from '../../src/permissions/common/rules/userRules';
import { FakeClock } from './fakeClock';

/** Keeps values as VS Code does: as JSON, and the same object until it is written again. */
export class FakeMemento implements Memento {
  private readonly kept = new Map<string, unknown>();
  writes = 0;

  get(name: string): unknown {
    return this.kept.get(name);
  }

  update(name: string, value: unknown): Promise<void> {
    this.writes++;
    this.set(name, value);
    return Promise.resolve();
  }

  /** As another window does. */
  set(name: string, value: unknown): void {
    const text = value === undefined ? undefined : JSON.stringify(value);
    if (text === undefined) this.kept.delete(name);
    else this.kept.set(name, JSON.parse(text));
  }
}

/** What a user has said in advance; nothing by default. `permissions` is the value of the setting. */
export function standingOf(
  rules: readonly PermissionRule[] = [],
  permissions?: () => unknown,
): StandingPermissions & { readonly memento: FakeMemento } {
  const memento = new FakeMemento();
  memento.set(
    'permissions.rules',
    rules.map((rule) => ({ rule })),
  );
  const onListenerError = (error: unknown): never => {
    throw error;
  };
  const userRules = new UserRules(memento, new FakeClock(), nullLogger);
  const policy = (): PermissionPolicy => combineUserAndWorkspacePolicies(permissions?.(), []);
  const standing = new StandingPermissions(userRules, policy, onListenerError);
  return Object.assign(standing, { memento });
}
