// Computes the desired state of a topology with upstream's generator: for the Cluster and the ClusterClass among the
// stored objects, after upstream's webhooks have admitted both.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	coreadmission "sigs.k8s.io/cluster-api/core/webhooks/admission"
	"sigs.k8s.io/cluster-api/exp/topology/desiredstate"
	"sigs.k8s.io/cluster-api/exp/topology/scope"
)

const desiredStatePath = "/desired-state"

// desiredAnswer has the desired objects by their role, or what refused the Cluster.
type desiredAnswer struct {
	Topology interface{}            `json:"topology,omitempty"`
	Objects  map[string]interface{} `json:"objects,omitempty"`
	Refused  string                 `json:"refused,omitempty"`
	Error    string                 `json:"error,omitempty"`
}

// readingClient has the reads of a client. The generator uses no others.
type readingClient struct {
	client.Client
	reader *stored
}

func (c *readingClient) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	return c.reader.Get(ctx, key, into, options...)
}

func (c *readingClient) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	return c.reader.List(ctx, list, options...)
}

// noWorkloads has no connection. No Machine of a pool has a Node, so none is asked for.
type noWorkloads struct{ clustercache.ClusterCache }

type desiredStates struct {
	reader    *stored
	generator desiredstate.Generator
}

func newDesiredStates(reader *stored) (*desiredStates, error) {
	generator, err := desiredstate.NewGenerator(&readingClient{reader: reader}, noWorkloads{}, nil, nil, nil)
	return &desiredStates{reader: reader, generator: generator}, err
}

func (d *desiredStates) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	answer := d.answer(request.Context())
	if err := json.NewEncoder(response).Encode(answer); err != nil {
		panic(err)
	}
}

func (d *desiredStates) answer(ctx context.Context) (answer desiredAnswer) {
	defer func() {
		if problem := recover(); problem != nil {
			answer = desiredAnswer{Error: fmt.Sprintf("panic: %v", problem)}
		}
	}()
	if err := d.decodeIntegers(); err != nil {
		return desiredAnswer{Error: err.Error()}
	}
	class, refusal, err := d.admitClass(ctx)
	if err != nil || refusal != nil {
		return refusedBy(refusal, err)
	}
	cluster, refusal, err := d.admitCluster(ctx)
	if err != nil || refusal != nil {
		return refusedBy(refusal, err)
	}
	desired, err := d.generate(ctx, cluster, class)
	if err != nil {
		return desiredAnswer{Error: err.Error()}
	}
	return desiredAnswer{Topology: cluster.Spec.Topology, Objects: byRole(desired)}
}

func refusedBy(refusal, err error) desiredAnswer {
	if err != nil {
		return desiredAnswer{Error: err.Error()}
	}
	return desiredAnswer{Refused: refusal.Error()}
}

// decodeIntegers decodes the objects as a client does, so that whole numbers are integers.
func (d *desiredStates) decodeIntegers() error {
	for _, object := range d.reader.objects {
		text, err := json.Marshal(object.Object)
		if err != nil {
			return err
		}
		if err := object.UnmarshalJSON(text); err != nil {
			return err
		}
	}
	return nil
}

func (d *desiredStates) only(kind string, into runtime.Object) (*unstructured.Unstructured, error) {
	for _, object := range d.reader.objects {
		if object.GetKind() == kind {
			return object, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, into)
		}
	}
	return nil, fmt.Errorf("there is no %s", kind)
}

// admitClass also stores the class as its reconciler leaves it.
func (d *desiredStates) admitClass(ctx context.Context) (class *clusterv1.ClusterClass, refusal, err error) {
	class = &clusterv1.ClusterClass{}
	object, err := d.only("ClusterClass", class)
	if err != nil {
		return nil, nil, err
	}
	if _, refusal = (&coreadmission.ClusterClass{Client: d.reader}).ValidateCreate(ctx, class); refusal != nil {
		return nil, refusal, nil
	}
	for _, variable := range class.Spec.Variables {
		class.Status.Variables = append(class.Status.Variables, clusterv1.ClusterClassStatusVariable{
			Name:                variable.Name,
			DefinitionsConflict: ptr.To(false),
			Definitions: []clusterv1.ClusterClassStatusVariableDefinition{{
				From:     clusterv1.VariableDefinitionFromInline,
				Required: variable.Required,
				Schema:   variable.Schema,
			}},
		})
	}
	slices.SortFunc(class.Status.Variables, func(one, other clusterv1.ClusterClassStatusVariable) int {
		return strings.Compare(one.Name, other.Name)
	})
	class.Status.ObservedGeneration = class.Generation
	class.Status.Conditions = []metav1.Condition{{
		Type:               clusterv1.ClusterClassVariablesReadyCondition,
		Status:             metav1.ConditionTrue,
		Reason:             clusterv1.ClusterClassVariablesReadyReason,
		ObservedGeneration: class.Generation,
		LastTransitionTime: metav1.Now(),
	}}
	object.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(class)
	return class, nil, err
}

// admitCluster sets defaults. A Cluster with objects is validated by the comparison of the webhooks.
func (d *desiredStates) admitCluster(ctx context.Context) (cluster *clusterv1.Cluster, refusal, err error) {
	cluster = &clusterv1.Cluster{}
	if _, err = d.only("Cluster", cluster); err != nil {
		return nil, nil, err
	}
	webhook := &coreadmission.Cluster{Client: d.reader}
	if refusal = webhook.Default(ctx, cluster); refusal != nil || cluster.Spec.ControlPlaneRef.IsDefined() {
		return cluster, refusal, nil
	}
	_, refusal = webhook.ValidateCreate(ctx, cluster)
	return cluster, refusal, nil
}

func (d *desiredStates) generate(ctx context.Context, cluster *clusterv1.Cluster, class *clusterv1.ClusterClass) (*scope.ClusterState, error) {
	topology := scope.New(cluster)
	reading := &currentReads{reader: d.reader, cluster: cluster}
	topology.Blueprint = reading.blueprint(class)
	topology.Current = reading.current(ctx, topology.Blueprint)
	if reading.err != nil {
		return nil, reading.err
	}
	return d.generator.Generate(ctx, topology)
}

// named adds the version and the kind, which the generator leaves out.
func named(object client.Object, kind string) client.Object {
	object.GetObjectKind().SetGroupVersionKind(clusterv1.GroupVersion.WithKind(kind))
	return object
}

func byRole(desired *scope.ClusterState) map[string]interface{} {
	controlPlane := desired.ControlPlane
	objects := map[string]interface{}{
		"infrastructureCluster": desired.InfrastructureCluster,
		"controlPlane":          controlPlane.Object,
	}
	if controlPlane.InfrastructureMachineTemplate != nil {
		objects["controlPlane/machineTemplate"] = controlPlane.InfrastructureMachineTemplate
	}
	if controlPlane.MachineHealthCheck != nil {
		objects["controlPlane/healthCheck"] = named(controlPlane.MachineHealthCheck, "MachineHealthCheck")
	}
	for name, each := range desired.MachineDeployments {
		role := "machineDeployment/" + name
		objects[role] = named(each.Object, "MachineDeployment")
		objects[role+"/bootstrap"] = each.BootstrapTemplate
		objects[role+"/infrastructure"] = each.InfrastructureMachineTemplate
		if each.MachineHealthCheck != nil {
			objects[role+"/healthCheck"] = named(each.MachineHealthCheck, "MachineHealthCheck")
		}
	}
	for name, each := range desired.MachinePools {
		role := "machinePool/" + name
		objects[role] = named(each.Object, "MachinePool")
		objects[role+"/bootstrap"] = each.BootstrapObject
		objects[role+"/infrastructure"] = each.InfrastructureMachinePoolObject
	}
	return objects
}
