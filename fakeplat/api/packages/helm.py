"""The Helm repository of a project: uploads of charts, the index of a channel. Source: docs/platform/packages.md."""

from typing import Annotated, Final
from urllib.parse import quote

from fakeplat.api.packages.access import challenged_scope
from fakeplat.api.packages.transfers import CREATED, file_response
from fakeplat.core.operations.errors import NotFound, RouteNotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Check, Params
from fakeplat.core.timestamps import to_iso
from fakeplat.domain.packages import helm
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Packages (Helm)", login=Login.NEVER, deploy_tokens=True)
READING: Final = challenged_scope(Ability.READ_PACKAGE, strict=True)
WRITING: Final = challenged_scope(Ability.CREATE_PACKAGE, strict=True)
Channel = Annotated[str, Check(lambda name: None if helm.is_channel(name) else "is invalid")]


@area.operation(
    "GET",
    "packages/helm/:channel/index.yaml",
    scope=READING,
    job_token=True,
    since="14.0",
    refusals=(400, 401, 403, 404),
    produces="text/yaml",
)
def get_package_helm_index_yaml(ctx: ReadContext, project: Project, channel: Channel) -> RawBody:
    """Get the index of a channel, which helm installs charts from."""
    from fakeplat.ci_config import document_writing

    index = {
        "apiVersion": "v1",
        "entries": helm.list_entries(ctx, project, channel),
        "generated": helm.to_nanoseconds(to_iso(ctx.moving_now())),
        "serverInfo": {"contextPath": f"/api/v4/projects/{_sent_id(ctx, project)}/packages/helm"},
    }
    return RawBody(document_writing.write(index, keys=str).encode(), "text/yaml")


def _sent_id(ctx: ReadContext, project: Project) -> str:
    """Return the id or the path by which a request named its project."""
    path = ctx.request.path if ctx.request else ""
    reference = path.partition("/projects/")[2].partition("/packages/helm/")[0]
    return quote(reference, safe="%") or str(project.id)


@area.operation(
    "GET",
    "packages/helm/:channel/charts/:file_name",
    scope=READING,
    job_token=True,
    since="14.0",
    refusals=(400, 401, 403, 404),
)
def get_package_helm_chart_tgz(ctx: ReadContext, project: Project, channel: Channel, file_name: str) -> RawBody:
    """Download a chart of a channel; of several with the same name, the newest."""
    stem, dot, ending = file_name.partition(".tgz")
    if not dot or not stem:
        raise RouteNotFound(reason="charts are files with the ending .tgz")
    if ending:
        raise NotFound(f"Format {ending.removeprefix('.')}", reason="signatures of charts are not kept")
    return file_response(ctx, helm.get_file(ctx.world, project, channel, file_name))


class UploadHelmChart(Params):
    """The packed chart."""

    chart: Upload


@area.operation(
    "POST",
    "packages/helm/api/:channel/charts",
    scope=WRITING,
    params=UploadHelmChart,
    job_token=True,
    since="14.0",
    refusals=(400, 401, 403),
)
def create_package_helm_chart(ctx: WriteContext, project: Project, channel: Channel, p: UploadHelmChart) -> RawBody:
    """Upload a chart to a channel."""
    helm.upload(ctx, project, channel, p.chart.data)
    return RawBody(CREATED, JSON, status=201)
