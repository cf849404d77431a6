"""Ray and Ray Serve, which read their switches from the environment when they are imported.

Nothing is reported to Ray's makers, no dashboard is served, nothing but errors is logged, and none
of Serve's own HTTP servers runs, which know no tenants. Ray's processes take only who knows a token
that is made at each start; left to itself, Ray keeps one for good, in a file that all may read.
A call after its end starts no other Ray.
"""

import os
import secrets

SWITCHES = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_USAGE_STATS_REPORT_URL": "http://127.0.0.1:9/",
    "RAY_SERVE_LOG_TO_STDERR": "0",
    "RAY_SERVE_THROUGHPUT_OPTIMIZED": "1",
    "RAY_SERVE_USE_GRPC_BY_DEFAULT": "1",
    "RAY_SERVE_ENABLE_DIRECT_INGRESS": "0",
    "RAY_SERVE_ENABLE_HA_PROXY": "0",
    "RAY_SERVE_CONTROL_LOOP_INTERVAL_S": "0.1",
    "RAY_enable_metrics_collection": "0",
    "RAY_task_events_report_interval_ms": "0",
    "RAY_DISABLE_IMPORT_WARNING": "1",
    "RAY_ENABLE_AUTO_CONNECT": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
}
SERVE_SWITCHES = {name: SWITCHES[name] for name in SWITCHES if name.startswith("RAY_SERVE_")}
"""Those that Serve's own processes read, wherever they run."""
for _name, _value in SWITCHES.items():
    os.environ.setdefault(_name, _value)

import ray as ray  # noqa: E402
from ray import serve as serve  # noqa: E402
from ray.exceptions import RayActorError as RayActorError  # noqa: E402
from ray.exceptions import RayError as RayError  # noqa: E402
from ray.serve._private.common import DeploymentID as DeploymentID  # noqa: E402
from ray.serve.config import RequestRouterConfig as RequestRouterConfig  # noqa: E402
from ray.serve.context import _get_global_client  # noqa: E402
from ray.serve.exceptions import RayServeException as RayServeException  # noqa: E402
from ray.serve.handle import DeploymentHandle as DeploymentHandle  # noqa: E402
from ray.serve.request_router import RequestRouter as RequestRouter  # noqa: E402

serve_client = _get_global_client
