// What observe knows of one ExtensionConfig: everything that decide and report conclude from.
import type { Checked } from '../../shared/api/checked.ts';
import type { ExtensionConfig, ExtensionHandler } from '../../shared/api/extension-config/reader.ts';

export type Seen =
  /** The Paused condition has to be written, alone. */
  | { readonly step: 'pausedCondition'; readonly config: ExtensionConfig }
  /** Nobody was asked. `isTold`: what is wrong will not pass by itself, so the condition says it. */
  | { readonly step: 'failed'; readonly config: ExtensionConfig; readonly error: string; readonly isTold: boolean }
  /** The Secret holds another caBundle than the spec; base64, "" for none. */
  | { readonly step: 'inject'; readonly config: ExtensionConfig; readonly caBundle: string }
  /** The extension server was asked what it serves. */
  | {
      readonly step: 'discovery';
      readonly config: ExtensionConfig;
      readonly discovered: Checked<readonly ExtensionHandler[]>;
    };

/** How this deployment treats all ExtensionConfigs. */
export interface Settings {
  /** Without it ExtensionConfigs are left alone, and nobody calls what they serve. */
  readonly runtimeSdk: boolean;
}
