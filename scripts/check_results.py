#!/usr/bin/env python3
"""Opens a results file with h5py, pandas and xarray as a user would, and checks that it explains itself.

Usage: check_results.py RESULTS.h5 [EXPECTED_POINTS]

Exit code 0 if everything holds, 1 with one line per fault.
"""

import sys

import h5py
import numpy as np
import pandas as pd
import xarray as xr

# The columns that every results file has; more are welcome.
COLUMNS = """
status stop_reason latency_steady active_endpoints offered_load accepted_load accepted_load_min accepted_load_max accepted_load_jain
packet_latency packet_latency_ci95 packet_latency_p50 packet_latency_p99 packet_latency_max
network_latency network_latency_ci95 hops channel_utilization_mean channel_utilization_max
vc_occupancy_mean vc_occupancy_max packets_offered packets_accepted packets_measured window_start window_end cycles
flit_hops messages messages_completed completion_time message_latency message_latency_max
""".split()

# The arrays of each point, with their dimensions.
DETAILS = {
    "packet_latency_bin_upper": ("packet_latency_bin",),
    "packet_latency_count": ("packet_latency_bin",),
    "network_latency_bin_upper": ("network_latency_bin",),
    "network_latency_count": ("network_latency_bin",),
    "channel_utilization": ("channel",),
    "vc_occupancy": ("channel", "vc"),
    "endpoint_accepted": ("endpoint",),
    "endpoint_offered": ("endpoint",),
}

# The columns of a hypercube study.
CUBE_COLUMNS = [
    "sets_counted", "pairs", "faulty_nodes", "faulty_links", "rounds", "max_rounds", "messages",
    *(name + end for name in ("connected", "optimal", "suboptimal", "failed", "failed_connected", "detour") for end in ("", "_stderr")),
]

faults = []


def check(holds, fault):
    if not holds:
        faults.append(fault)


def check_with_h5py(path):
    """Every data set outside /runtime/sessions has a unit, a definition and scales on all dimensions, and no NaN."""
    n_datasets = 0
    with h5py.File(path) as file:
        check(file.attrs.get("format") == "sfpdes results", "/: attribute format")
        check("format_version" in file.attrs, "/: attribute format_version")
        for name in ("seed", "version", "n_points"):
            check(name in file["config"].attrs, f"/config: attribute {name}")
        check(len(file["config/toml"].asstr()[()]) > 0, "/config/toml is empty")

        def visit(name, thing):
            nonlocal n_datasets
            if not isinstance(thing, h5py.Dataset):
                return
            n_datasets += 1
            for attribute in ("units", "long_name"):
                check(isinstance(thing.attrs.get(attribute), str), f"/{name}: attribute {attribute}")
            check(len(thing.attrs.get("long_name", "")) > 0, f"/{name}: long_name is empty")
            if h5py.check_string_dtype(thing.dtype):
                thing.asstr()[()]
            else:
                check(thing.attrs.get("units") != "", f"/{name}: units is empty")
            if thing.dtype.kind == "f":
                check(bool(np.isfinite(thing[()]).all()), f"/{name}: holds NaN or infinity")
            if not thing.is_scale:
                for dimension, size in zip(thing.dims, thing.shape):
                    check(len(dimension) == 1, f"/{name}: a dimension has {len(dimension)} scales")
                    check(all(len(s) == size for s in dimension.values()), f"/{name}: scale of another length")

        file.visititems(visit)
    print(f"h5py: {n_datasets} data sets with unit, definition and dimension scales")


def check_points(path, expected, columns, shown):
    """The table of points, by xarray and pandas."""
    points = xr.open_dataset(path, group="points", engine="h5netcdf")
    # Without being told what kind of file it is, xarray looks at the first bytes.
    with xr.open_dataset(path, group="points") as guessed:
        check(guessed.sizes == points.sizes, "/points: another with the engine that xarray chooses")
    check(set(points.sizes) <= {"point"}, f"/points: dimensions {dict(points.sizes)}")
    n_points = points.sizes.get("point", 0)
    if expected is not None:
        check(n_points == expected, f"/points: {n_points} points, not {expected}")
    check(n_points > 0, "/points: no point")
    if n_points == 0:
        return []
    check(bool((np.diff(points["point"].values.astype(np.int64)) > 0).all()), "/points/point: not ascending")
    for name in columns:
        check(name in points, f"/points: no column {name}")
    axes = np.atleast_1d(points.attrs.get("axes", [])).tolist()
    for name in axes:
        check(name in points, f"/points: no column for the swept key {name}")
    for name, variable in points.variables.items():
        check(not pd.isna(variable.values).any(), f"/points/{name}: missing values")
        if variable.dtype.kind not in "iuf":
            check(all(isinstance(v, str) for v in variable.values), f"/points/{name}: words are no str")
    frame = points.to_dataframe()
    check(len(frame) == n_points, "pandas: another number of rows")
    check(not frame.isna().any(axis=None), "pandas: missing values")
    known = {"converged", "max_time", "saturated", "stalled", "completed"}
    check("status" not in frame or set(frame["status"]) <= known, "status: unknown words")
    print(f"xarray and pandas: {n_points} points, {frame.shape[1]} columns, swept: {', '.join(axes) or 'nothing'}")
    print(frame[axes + shown].to_string(max_rows=20))
    return points["point"].values.tolist()


def check_details(path, indices):
    """The arrays of each point, by xarray; and the network they belong to."""
    with h5py.File(path) as file:
        groups = {int(group.attrs["point"]): name for name, group in file["points_detail"].items()}
    check(sorted(groups) == sorted(indices), f"/points_detail: points {sorted(groups)}, not {indices}")
    for name in groups.values():
        place = f"/points_detail/{name}"
        detail = xr.open_dataset(path, group=place, engine="h5netcdf")
        for array, dimensions in DETAILS.items():
            check(array in detail, f"{place}: no {array}")
            check(array not in detail or detail[array].dims == dimensions, f"{place}/{array}: other dimensions")
        for array in detail.variables:
            detail[array].load()
        check(len(str(detail["toml"].values)) > 0, f"{place}/toml is empty")
        check("deadlock" in str(detail["deadlock"].values), f"{place}/deadlock says nothing of it")
        network = xr.open_dataset(path, group=detail.attrs["network"], engine="h5netcdf")
        for dimension in ("channel", "endpoint"):
            check(network.sizes[dimension] == detail.sizes[dimension], f"{place}: {dimension} is not that of its network")
        for array in ("source_router", "source_port", "destination_router", "class"):
            check(network[array].dims == ("channel",), f"{detail.attrs['network']}/{array}: other dimensions")
    print(f"xarray: details of {len(groups)} points")


def check_fault_sets(path, indices):
    """The integers of each fault set, by xarray, and that the percentages of /points are made of them."""
    points = xr.open_dataset(path, group="points", engine="h5netcdf")
    with h5py.File(path) as file:
        groups = list(file["fault_sets"])
    seen = []
    for name in groups:
        cell = xr.open_dataset(path, group=f"/fault_sets/{name}", engine="h5netcdf")
        seen += cell["point"].values.tolist()
        rows = points.sel(point=cell["point"])
        counted = cell.where(cell["pairs"] > 0, drop=True)
        for quantity in ("optimal", "suboptimal", "failed_connected", "connected"):
            percent = (100 * counted[quantity] / counted["pairs"]).mean("set")
            check(bool(np.allclose(percent, rows[quantity], atol=1e-9)), f"/fault_sets/{name}: another {quantity} than /points")
        check(bool(np.allclose(rows["optimal"] + rows["suboptimal"] + rows["failed"], 100 * (rows["pairs"] > 0))), f"{name}: not 100 percent")
    check(sorted(seen) == indices, f"/fault_sets: points {sorted(seen)}, not {indices}")
    print(f"xarray: fault sets of {len(groups)} cells")


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 1
    path = arguments[0]
    expected = int(arguments[1]) if len(arguments) == 2 else None
    try:
        check_with_h5py(path)
        with h5py.File(path) as file:
            study = file.attrs.get("study", "simulation")
        if study == "hypercube":
            check_fault_sets(path, check_points(path, expected, CUBE_COLUMNS, ["optimal", "optimal_stderr"]))
        else:
            shown = ["status", "offered_load", "accepted_load", "packet_latency", "packet_latency_ci95"]
            check_details(path, check_points(path, expected, COLUMNS, shown))
    except Exception as error:  # whatever a reader raises is a fault of the file
        faults.append(f"{type(error).__name__}: {error}")
    for fault in faults:
        print(f"{path}: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
