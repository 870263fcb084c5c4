// SimulatedControlPlane: control plane machines that exist only as counters, written with the actuator SDK.
//
// Fields
//   spec.version               string, required                  Kubernetes version, e.g. v1.35.0
//   spec.replicas              int32, minimum 0, default 1
//   spec.provisionSeconds      number, minimum 0, default 1      how long the first start, an upgrade or a scaling takes
//   spec.deletionSeconds       number, minimum 0, default 1
//   spec.machineTemplate       object, preserved as it is (metadata, spec); not interpreted
//   status.initialization.controlPlaneInitialized  boolean
//   status.version             string                            the version that every replica runs
//   status.versions            list of { version: string, replicas: int32 }
//   status.replicas, status.readyReplicas, status.availableReplicas, status.upToDateReplicas  int32
//   status.rollout             { startedAt: date-time (milliseconds), version: string, replicas: int32 }  the change under way or done last
//   status.conditions          list of conditions (map by type): Available, Ready, RollingOut, ScalingUp, ScalingDown, Paused
