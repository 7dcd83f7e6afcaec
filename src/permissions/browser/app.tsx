import { useChanges } from '../../webview/browser/useChanges';
import { IconButton } from '../../webview/browser/iconButton';
import { AddIcon, CloseIcon, ErrorIcon, ShieldIcon } from '../../webview/browser/icons';
import { permissionsRequests } from '../common/permissionsApi';
import type { PermissionsPage } from './permissionsPage';
import { PolicyTable } from './policyTable';
import { RuleList } from './ruleList';

export function App({ page }: { page: PermissionsPage }) {
  useChanges(page.onDidChange);
  const { failure, view } = page;
  return (
    <main class="permissions" aria-busy={view === undefined}>
      <h1>Permissions</h1>
      {failure !== undefined && (
        <div class="permissions-failure" role="alert">
          <ErrorIcon />
          <p>{failure}</p>
          <IconButton label="Dismiss" icon={CloseIcon} onClick={() => page.dismissFailure()} />
        </div>
      )}
      {view && (
        <>
          <section aria-labelledby="policy">
            <h2 id="policy">What agents may do</h2>
            <PolicyTable rows={view.policy} ask={page.ask} />
            <p class="permissions-note">
              <ShieldIcon />
              <span>
                By default an agent asks as its own mode says, and Backline asks before it runs a command for one.
                Agents never edit files outside the workspace. Changes to files that make things run, such as tasks,
                hooks and workflows, are always asked for.{' '}
                <button
                  type="button"
                  class="link"
                  onClick={() => void page.ask(permissionsRequests.showProtectedFiles, {})}
                >
                  Protected files
                </button>
              </span>
            </p>
          </section>
          <section aria-labelledby="rules">
            <div class="permissions-heading">
              <h2 id="rules">Rules</h2>
              <button type="button" class="button" onClick={() => void page.ask(permissionsRequests.addRule, {})}>
                <AddIcon /> Add Rule…
              </button>
            </div>
            <RuleList rules={view.rules} ask={page.ask} />
          </section>
        </>
      )}
    </main>
  );
}
