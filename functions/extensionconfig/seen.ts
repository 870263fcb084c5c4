// The result of observe for one ExtensionConfig: the input of decide and report.
import type { Checked } from '@capi-serverless/apimachinery';
import type { ExtensionConfig, ExtensionHandler } from '../../shared/api/extension-config/reader.ts';

export type ExtensionConfigSeen =
  /** The extension server was not called. `isReported`: a retry cannot succeed, so a condition reports the error. */
  | { readonly step: 'failed'; readonly config: ExtensionConfig; readonly error: string; readonly isReported: boolean }
  /** The caBundle in the Secret differs from the spec. The value is base64, and "" for none. */
  | { readonly step: 'inject'; readonly config: ExtensionConfig; readonly caBundle: string }
  /** The extension server was called for its handlers. */
  | {
      readonly step: 'discovery';
      readonly config: ExtensionConfig;
      readonly discovered: Checked<readonly ExtensionHandler[]>;
    };

/** The settings for all ExtensionConfigs of this deployment. */
export interface ExtensionConfigSettings {
  /** If false, ExtensionConfigs are not reconciled and their handlers are not called. */
  readonly runtimeSdk: boolean;
}
