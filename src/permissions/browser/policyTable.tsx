import type { Ask } from '../../webview/browser/hostConnection';
import { Choice, permissionsRequests, type Cell, type PolicyRow } from '../common/page/permissionsApi';
import { everyAgent, policyKinds, type PolicyKind } from '../common/policy/policyKinds';

interface PolicyTableProps {
  readonly rows: readonly PolicyRow[];
  readonly ask: Ask;
}

const headings: Readonly<Record<PolicyKind, string>> = {
  read: 'Read files',
  edit: 'Edit files',
  run: 'Run commands',
  fetch: 'Use the network',
};

/** One row an agent, one list of choices for each kind. In a narrow tab each agent is a block of its own. */
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
                  {cell ? <PolicyCell row={row} kind={kind} cell={cell} ask={ask} /> : <NotGoverned />}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NotGoverned() {
  return (
    <>
      <span aria-hidden="true">–</span>
      <span class="visually-hidden">Not decided by Backline</span>
    </>
  );
}

interface PolicyCellProps {
  readonly row: PolicyRow;
  readonly kind: PolicyKind;
  readonly cell: Cell;
  readonly ask: Ask;
}

function PolicyCell({ row, kind, cell: { choice, stricter }, ask }: PolicyCellProps) {
  const names = choiceNames(row.agent === everyAgent, kind);
  return (
    <>
      <select
        class={`policy-choice is-${choice}`}
        aria-label={`${row.title}: ${headings[kind]}`}
        value={choice}
        onChange={({ currentTarget }) => {
          const chosen = Choice.safeParse(currentTarget.value).data;
          // What the host says is shown: a setting that cannot be written must not look changed.
          currentTarget.value = choice;
          if (chosen) void ask(permissionsRequests.setPolicy, { agent: row.agent, kind, choice: chosen });
        }}
      >
        {Choice.options.map((option) => (
          <option key={option} value={option}>
            {names[option]}
          </option>
        ))}
      </select>
      {stricter !== undefined && <span class="policy-stricter">This workspace: {names[stricter]}</span>}
    </>
  );
}

/** What holds without a choice. An agent's own requests to read or edit are asked even then, which the note says. */
const usual: Readonly<Record<PolicyKind, string>> = { read: 'allow', edit: 'allow', run: 'ask', fetch: 'ask' };

function choiceNames(isForAll: boolean, kind: PolicyKind): Readonly<Record<Choice, string>> {
  return {
    inherit: isForAll ? `Default (${usual[kind]})` : 'Same as all agents',
    ask: 'Ask',
    allow: 'Allow',
    deny: 'Deny',
  };
}
