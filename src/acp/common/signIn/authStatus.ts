import * as z from 'zod';
import { lenientList, optionalText, RequiredText } from '../session/wireSchema';

/** What an agent reports about the user's sign-in. Accounts are shown but never logged. */
export interface AuthStatus {
  /** Undefined if the agent does not know. */
  readonly isSignedIn: boolean | undefined;
  /** Names of the accounts that the agent uses. */
  readonly accounts: readonly string[];
}

const Account = z.looseObject({
  label: RequiredText,
  active: z.boolean().nullish().catch(undefined),
  name: optionalText,
  email: optionalText,
  organization: optionalText,
});

const signedInByState: ReadonlyMap<string, boolean> = new Map([
  ['authenticated', true],
  ['not_required', true],
  ['unauthenticated', false],
]);

/** The answer to `auth/status`, and the parameters of `auth/status_update` (drafts, in both versions of the protocol). */
export const AuthStatusAnswer = z
  .looseObject({ state: RequiredText, accounts: lenientList(Account).nullish().catch(undefined) })
  .transform(({ state, accounts }): AuthStatus => ({
    isSignedIn: signedInByState.get(state),
    accounts: (accounts ?? []).filter(({ active }) => active !== false).map(nameOf),
  }));

function nameOf({ label, name, email, organization }: z.infer<typeof Account>): string {
  const who = email ?? name;
  const details = [who, organization].filter((part) => part !== undefined && part !== '');
  return details.length === 0 ? label : `${label} (${details.join(', ')})`;
}
