import type { Ask } from '../../webview/browser/hostConnection';
import { actions, Choice, permissionsRequests, type Action, type Cell, type PolicyRow } from '../common/permissionsApi';

interface PolicyTableProps {
  readonly rows: readonly PolicyRow[];
  readonly ask: Ask;
}

const headings: Readonly<Record<Action, string>> = {
  read: 'Read files',
  edit: 'Edit files',
  run: 'Run commands',
  fetch: 'Use the network',
};

/** One row an agent, one list of choices an action. In a narrow tab each agent is a block of its own. */
export function PolicyTable({ rows, ask }: PolicyTableProps) {
  return (
    <table class="policy">
      <thead>
        <tr>
          <th scope="col">Agent</th>
          {actions.map((action) => (
            <th key={action} scope="col">
              {headings[action]}
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
            {actions.map((action) => (
              <td key={action}>
                <span class="policy-action" aria-hidden="true">
                  {headings[action]}
                </span>
                <PolicyCell row={row} action={action} cell={row.cells[action]} ask={ask} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface PolicyCellProps {
  readonly row: PolicyRow;
  readonly action: Action;
  readonly cell: Cell;
  readonly ask: Ask;
}

function PolicyCell({ row, action, cell: { choice, stricter }, ask }: PolicyCellProps) {
  const names = choiceNames(row.agent === '*');
  return (
    <>
      <select
        class={`policy-choice is-${choice}`}
        aria-label={`${row.title}: ${headings[action]}`}
        value={choice}
        onChange={({ currentTarget }) => {
          const chosen = Choice.safeParse(currentTarget.value).data;
          // What the host says is shown: a setting that cannot be written must not look changed.
          currentTarget.value = choice;
          if (chosen) void ask(permissionsRequests.setPolicy, { agent: row.agent, action, choice: chosen });
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

function choiceNames(isForAll: boolean): Readonly<Record<Choice, string>> {
  return { inherit: isForAll ? 'Default' : 'Same as all', ask: 'Ask', allow: 'Allow', deny: 'Deny' };
}
