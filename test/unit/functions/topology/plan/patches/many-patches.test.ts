import { describe, expect, it } from 'vitest';
import { PatchRun } from '../../../../../../functions/topology/plan/patches/run.ts';
import { manyPatches } from '../../../../../support/many-patches.ts';
import { at, found } from '../desired/desired-input.ts';

describe('300 patches of 200 MachineDeployments with a class each', () => {
  it('parse each template once, render equal input once, and read each output once', () => {
    const { blueprint, desired } = manyPatches({ machineDeployments: 200, patches: 300 });
    const run = PatchRun.start(blueprint, desired);
    if (!run.ok) {
      throw new Error(run.error);
    }
    for (const patch of blueprint.classSpec.patches) {
      const generated = run.value.generate(patch);
      expect(generated.ok && run.value.applyGenerated(generated.value)).toBeUndefined();
    }
    const [conditions, images, files] = [10, 300, 30];
    expect(run.value.templates.counts).toEqual({
      parsed: conditions + images + files,
      rendered: conditions + (images + files) * 200,
      decoded: 1 + images + files * 200,
    });
    const patched = run.value.finish();
    const last = found(patched.ok ? patched.value.machineDeployments.get('md-199') : undefined);
    expect(at(last, 'infrastructureTemplate.spec.template.spec')).toMatchObject({
      size: 'small',
      image0: 'registry.example/image-0:v1.31.0',
      image299: 'registry.example/image-299:v1.31.0',
      size299: 'size-199',
    });
    const commands = Object.values(at(last, 'bootstrapTemplate.spec.template.spec.commands') ?? {});
    expect(commands).toHaveLength(301);
    expect(commands[291]).toEqual({
      content: 'mirror 290 one\nmirror 290 two\nmirror 290 three\n',
      path: '/etc/md-199/290',
    });
    expect(commands[300]).toEqual({ name: 'command-299' });
  });
});
