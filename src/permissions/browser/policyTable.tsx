import type { Requester } from '../../webview/browser/hostConnection';
import { PolicyChoice, permissionsRequests, type PolicyCell, type PolicyRow } from '../common/page/permissionsApi';
import { allAgentsKey, policyKinds, type PolicyKind } from '../common/policy/policyKinds';

interface PolicyTableProps {
  readonly rows: readonly PolicyRow[];
  readonly ask: Requester;
}

const headings: Readonly<Record<PolicyKind, string>> = {
  read: 'Read files',
  edit: 'Edit files',
  run: 'Run commands',
  fetch: 'Use the network',
};

/** One row per agent, one select per kind. In a narrow tab, each agent is a separate block. */
export function PolicyTable({ rows, ask }: PolicyTableProps) {
  return (
    <table class="policy">
      <thead>
        <tr>
          <th scope="col">Agent</th>
          {policyKinds.map((kind) => (
            <th key={kind} scope="col">
              {headings[kind]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.agent}>
            <th scope="row">
              <bdi>{row.title}</bdi>
            </th>
            {policyKinds.map((kind) => {
              const cell = row.cells[kind];
              return (
                <td key={kind} class={cell ? undefined : 'is-not-governed'}>
                  <span class="policy-kind" aria-hidden="true">
                    {headings[kind]}
                  </span>
                  {cell ? <PolicySelect row={row} kind={kind} cell={cell} ask={ask} /> : <NotControlled />}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NotControlled() {
  return (
    <>
      <span aria-hidden="true">–</span>
      <span class="visually-hidden">Not controlled by Backline</span>
    </>
  );
}

interface PolicySelectProps {
  readonly row: PolicyRow;
  readonly kind: PolicyKind;
  readonly cell: PolicyCell;
  readonly ask: Requester;
}

function PolicySelect({ row, kind, cell: { choice, stricter }, ask }: PolicySelectProps) {
  const names = choiceNames(row.agent === allAgentsKey, kind);
  return (
    <>
      <select
        class={`policy-choice is-${choice}`}
        aria-label={`${row.title}: ${headings[kind]}`}
        value={choice}
        onChange={({ currentTarget }) => {
          const chosen = PolicyChoice.safeParse(currentTarget.value).data;
          // The select shows the old value until the host confirms the change, because saving the setting can fail.
          currentTarget.value = choice;
          if (chosen) void ask(permissionsRequests.setPolicy, { agent: row.agent, kind, choice: chosen });
        }}
      >
        {PolicyChoice.options.map((option) => (
          <option key={option} value={option}>
            {names[option]}
          </option>
        ))}
      </select>
      {stricter !== undefined && <span class="policy-stricter">This workspace: {names[stricter]}</span>}
    </>
  );
}

/** The answer for each kind that the policy does not set. Explicit permission requests always ask, as the page explains. */
const defaultAnswers: Readonly<Record<PolicyKind, string>> = { read: 'allow', edit: 'allow', run: 'ask', fetch: 'ask' };

function choiceNames(isForAll: boolean, kind: PolicyKind): Readonly<Record<PolicyChoice, string>> {
  return {
    inherit: isForAll ? `Default (${defaultAnswers[kind]})` : 'Same as all agents',
    ask: 'Ask',
    allow: 'Allow',
    deny: 'Deny',
  };
}
