import { useChanges } from '../../webview/browser/useChanges';
import { IconButton } from '../../webview/browser/iconButton';
import { AddIcon, CloseIcon, ErrorIcon, InfoIcon, ShieldIcon } from '../../webview/browser/icons';
import { permissionsRequests } from '../common/page/permissionsApi';
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
                By default agents read and edit files of the workspace through Backline without asking; what an agent
                asks for by itself, and each command that it has Backline run, is asked for. Through Backline, agents
                never edit files outside the workspace, and changes to files that make things run, such as tasks, hooks
                and workflows, are always asked for.{' '}
                <button
                  type="button"
                  class="link"
                  onClick={() => void page.ask(permissionsRequests.showProtectedFiles, {})}
                >
                  Protected files
                </button>
              </span>
            </p>
            <p class="permissions-note">
              <InfoIcon />
              <span>
                Agents are programs with your rights: what one reads, edits, runs or sends by itself, without asking
                Backline, is not stopped here. “Use the network” covers only what an agent declares. Amp does not wait
                for an answer: an edit that asks is refused, and its next try passes once you allow it; reading that
                asks is refused. Agents of an Amplifier server run there and are not covered.
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
