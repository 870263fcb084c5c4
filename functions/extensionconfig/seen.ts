// The result of observe for one ExtensionConfig: the input of decide and report.
import type { Checked } from '@capi-serverless/apimachinery';
import type { ExtensionConfig, ExtensionHandler } from '../../shared/api/extension-config/reader.ts';

export type Seen =
  /** The Paused condition is missing or outdated; it is the only write of the pass. */
  | { readonly step: 'pausedCondition'; readonly config: ExtensionConfig }
  /** The extension server was not called. `isReported`: a retry cannot repair it, so the condition reports it. */
  | { readonly step: 'failed'; readonly config: ExtensionConfig; readonly error: string; readonly isReported: boolean }
  /** The Secret has another caBundle than the spec; base64, "" for none. */
  | { readonly step: 'inject'; readonly config: ExtensionConfig; readonly caBundle: string }
  /** The extension server was called for its handlers. */
  | {
      readonly step: 'discovery';
      readonly config: ExtensionConfig;
      readonly discovered: Checked<readonly ExtensionHandler[]>;
    };

/** How this deployment treats all ExtensionConfigs. */
export interface Settings {
  /** Without it ExtensionConfigs are not reconciled, and their handlers are not called. */
  readonly runtimeSdk: boolean;
}
