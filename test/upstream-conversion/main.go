// Converts objects of Cluster API with upstream's own code. Reads one JSON request per line, and prints one JSON answer
// per line: the converted object, or the error. With the argument "shapes", prints the fields of all types instead.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrlconversion "sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	addonsv1beta1 "sigs.k8s.io/cluster-api/api/addons/v1beta1"
	addonsv1 "sigs.k8s.io/cluster-api/api/addons/v1beta2"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ipamv1alpha1 "sigs.k8s.io/cluster-api/api/ipam/v1alpha1"
	ipamv1beta1 "sigs.k8s.io/cluster-api/api/ipam/v1beta1"
	ipamv1 "sigs.k8s.io/cluster-api/api/ipam/v1beta2"
	runtimev1alpha1 "sigs.k8s.io/cluster-api/api/runtime/v1alpha1"
	runtimev1 "sigs.k8s.io/cluster-api/api/runtime/v1beta2"
	"sigs.k8s.io/cluster-api/core/webhooks/conversion"
)

type request struct {
	To     string          `json:"to"`
	Object json.RawMessage `json:"object"`
}

type answer struct {
	Object runtime.Object `json:"object,omitempty"`
	Error  string         `json:"error,omitempty"`
}

var addToScheme = []func(*runtime.Scheme) error{
	clusterv1.AddToScheme, clusterv1beta1.AddToScheme,
	addonsv1.AddToScheme, addonsv1beta1.AddToScheme,
	ipamv1.AddToScheme, ipamv1beta1.AddToScheme, ipamv1alpha1.AddToScheme,
	runtimev1.AddToScheme, runtimev1alpha1.AddToScheme,
}

var converters = map[string]func(*runtime.Scheme) (ctrlconversion.Converter, error){
	"Cluster":                   conversion.Cluster,
	"ClusterClass":              conversion.ClusterClass,
	"Machine":                   conversion.Machine,
	"MachineSet":                conversion.MachineSet,
	"MachineDeployment":         conversion.MachineDeployment,
	"MachinePool":               conversion.MachinePool,
	"MachineHealthCheck":        conversion.MachineHealthCheck,
	"MachineDrainRule":          conversion.MachineDrainRule,
	"ClusterResourceSet":        conversion.ClusterResourceSet,
	"ClusterResourceSetBinding": conversion.ClusterResourceSetBinding,
	"IPAddress":                 conversion.IPAddress,
	"IPAddressClaim":            conversion.IPAddressClaim,
	"ExtensionConfig":           conversion.ExtensionConfig,
}

// The test answers the same for the labels of definitions.
func apiVersionOf(_ context.Context, kind schema.GroupKind) (string, error) {
	if kind.Kind == "" || kind.Kind == "Unknown" {
		return "", fmt.Errorf("no definition of %q in group %q", kind.Kind, kind.Group)
	}
	return schema.GroupVersion{Group: kind.Group, Version: "v1beta7"}.String(), nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	scheme := runtime.NewScheme()
	for _, add := range addToScheme {
		if err := add(scheme); err != nil {
			return err
		}
	}
	if len(os.Args) > 1 && os.Args[1] == "shapes" {
		return printShapes(scheme)
	}
	conversion.SetAPIVersionGetter(apiVersionOf)
	byKind := map[string]ctrlconversion.Converter{}
	for kind, create := range converters {
		converter, err := create(scheme)
		if err != nil {
			return err
		}
		byKind[kind] = converter
	}
	decoder := ctrlconversion.NewDecoder(scheme)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	answers := bufio.NewWriter(os.Stdout)
	defer answers.Flush()
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			return err
		}
		line, err := json.Marshal(convert(asked, scheme, decoder, byKind))
		if err != nil {
			return err
		}
		answers.Write(append(line, '\n'))
	}
	return lines.Err()
}

func convert(asked request, scheme *runtime.Scheme, decoder *ctrlconversion.Decoder, converters map[string]ctrlconversion.Converter) (result answer) {
	defer func() {
		if problem := recover(); problem != nil {
			result = answer{Error: fmt.Sprintf("panic: %v", problem)}
		}
	}()
	source, kind, err := decoder.Decode(asked.Object)
	if err != nil {
		return answer{Error: err.Error()}
	}
	wanted := schema.GroupVersionKind{Group: kind.Group, Version: asked.To, Kind: kind.Kind}
	target, err := scheme.New(wanted)
	if err != nil {
		return answer{Error: err.Error()}
	}
	target.GetObjectKind().SetGroupVersionKind(wanted)
	if err := converters[kind.Kind].ConvertObject(context.Background(), source, target); err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Object: target}
}
