import type { ComponentChildren } from 'preact';
import { IconButton } from '../../../webview/browser/iconButton';
import { CloseIcon, CopyIcon, ErrorIcon, InfoIcon, WarningIcon } from '../../../webview/browser/icons';
import { usePage } from '../chatPageContext';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';

interface BannerProps {
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
  readonly details?: string | undefined;
  readonly isBusy?: boolean | undefined;
  /** Whether it looks like the end of a turn that has failed. */
  readonly isFailure?: boolean;
  readonly children?: ComponentChildren;
}

const icons = { info: InfoIcon, warning: WarningIcon, error: ErrorIcon };

export function Banner({ level, text, details, isBusy = false, isFailure = false, children }: BannerProps) {
  const page = usePage();
  const Picture = icons[level];
  return (
    <div
      class={`banner is-${level} ${isFailure ? 'banner-failure' : ''}`}
      role={level === 'error' ? 'alert' : 'status'}
    >
      {isBusy ? <span class="spinner" /> : <Picture />}
      <div class="banner-body">
        <p>
          <UntrustedText text={text} />
        </p>
        {details !== undefined && (
          <details>
            <summary>Details</summary>
            <pre tabIndex={0}>
              <UntrustedText text={details} />
            </pre>
            <button type="button" class="link-button" onClick={() => void page.copy(`${text}\n\n${details}`)}>
              <CopyIcon /> Copy Details
            </button>
          </details>
        )}
        {children}
      </div>
    </div>
  );
}

interface DismissibleBannerProps extends BannerProps {
  readonly onDismiss: () => void;
}

export function DismissibleBanner({ onDismiss, ...banner }: DismissibleBannerProps) {
  return (
    <div class="problem">
      <Banner {...banner} />
      <IconButton label="Dismiss" icon={CloseIcon} onClick={onDismiss} />
    </div>
  );
}
