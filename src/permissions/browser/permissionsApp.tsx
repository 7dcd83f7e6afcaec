import { useRedrawOnEvent } from '../../webview/browser/hooks/useRedrawOnEvent';
import { IconButton } from '../../webview/browser/iconButton';
import { AddIcon, CloseIcon, ErrorIcon, InfoIcon, ShieldIcon } from '../../webview/browser/icons';
import { permissionsRequests } from '../common/page/permissionsApi';
import type { PermissionsPage } from './permissionsPage';
import { PolicyTable } from './policyTable';
import { RuleList } from './ruleList';

export function PermissionsApp({ page }: { page: PermissionsPage }) {
  useRedrawOnEvent(page.onDidChange);
  const { failure, view } = page.state;
  return (
    <main class="permissions" aria-busy={view === undefined}>
      <h1>Permissions</h1>
      {failure !== undefined && (
        <div class="permissions-failure" role="alert">
          <ErrorIcon />
          <p>{failure}</p>
          <IconButton label="Dismiss" icon={CloseIcon} onClick={() => page.update({ failure: undefined })} />
        </div>
      )}
      {view && (
        <>
          <section aria-labelledby="policy">
            <h2 id="policy">What agents can do</h2>
            <PolicyTable rows={view.policy} ask={page.sendRequest} />
            <p class="permissions-note">
              <ShieldIcon />
              <span>
                By default, agents can read and edit workspace files. Commands need your approval, and so do changes to
                files that can run code, such as tasks, Git hooks and workflows. Agents can’t edit files outside the
                workspace through Backline.{' '}
                <button
                  type="button"
                  class="link"
                  onClick={() => void page.sendRequest(permissionsRequests.showProtectedFiles, {})}
                >
                  Protected files
                </button>
              </span>
            </p>
            <p class="permissions-note">
              <InfoIcon />
              <span>
                Agents run with your user rights. Backline can’t stop actions that an agent doesn’t request. “Use the
                network” applies only to requests that the agent reports as network access. Amp doesn’t wait for
                answers: if edits are set to Ask, its edit is denied, and Amp can try again after you allow it. If
                reading is set to Ask, Amp can’t read. These settings don’t apply to agents on an Amplifier server.
              </span>
            </p>
          </section>
          <section aria-labelledby="rules">
            <div class="permissions-heading">
              <h2 id="rules">Rules</h2>
              <button
                type="button"
                class="button"
                onClick={() => void page.sendRequest(permissionsRequests.addRule, {})}
              >
                <AddIcon /> Add Rule…
              </button>
            </div>
            <RuleList rules={view.rules} ask={page.sendRequest} />
          </section>
        </>
      )}
    </main>
  );
}
